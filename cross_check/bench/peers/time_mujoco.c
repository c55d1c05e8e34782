/* Times MuJoCo on an MJCF file.
 *
 *     time_mujoco FILE STEP COUNT ROUNDS
 *
 * Follows COUNT steps of STEP seconds from the start, then prints the CPU nanoseconds of a right-hand
 * side (mj_forward) along that motion and of a step (mj_step), and on a second line the mass centres of all
 * bodies at its end. */
#define _POSIX_C_SOURCE 200809L
#include <mujoco/mujoco.h>
#include <string.h>

#include "stopwatch.h"

static void load(const mjModel *model, mjData *data, const double *row)
{
    memcpy(data->qpos, row, sizeof(double) * (size_t)model->nq);
    memcpy(data->qvel, row + model->nq, sizeof(double) * (size_t)model->nv);
}

int main(int words, char **word)
{
    if (words != 5) {
        return 1;
    }
    const int count = atoi(word[3]), rounds = atoi(word[4]);
    char error[1000] = "";
    mjModel *model = mj_loadXML(word[1], NULL, error, sizeof error);
    if (!model) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    model->opt.timestep = strtod(word[2], NULL);
    for (int i = 0; i < model->neq; i++) {
        /* Loops as stiff as the step allows. */
        model->eq_solref[mjNREF * i] = 2 * model->opt.timestep;
    }
    mjData *data = mj_makeData(model);
    const size_t row = (size_t)(model->nq + model->nv);
    double *motion = calloc((size_t)count * row, sizeof *motion);
    double *sides = calloc((size_t)rounds, sizeof *sides), *steps = calloc((size_t)rounds, sizeof *steps);
    if (!data || !motion || !sides || !steps) {
        return 3;
    }
    for (int i = 0; i < count; i++) {
        memcpy(motion + (size_t)i * row, data->qpos, sizeof(double) * (size_t)model->nq);
        memcpy(motion + (size_t)i * row + model->nq, data->qvel, sizeof(double) * (size_t)model->nv);
        mj_step(model, data);
    }
    mj_forward(model, data);
    double *centers = calloc(3 * (size_t)model->nbody, sizeof *centers);
    if (!centers) {
        return 3;
    }
    memcpy(centers, data->xipos, 3 * (size_t)model->nbody * sizeof *centers);
    for (int round = 0; round < rounds; round++) {
        double begin = now();
        for (int i = 0; i < count; i++) {
            load(model, data, motion + (size_t)i * row);
            mj_forward(model, data);
        }
        sides[round] = since(begin) / count;
        mj_resetData(model, data);
        begin = now();
        for (int i = 0; i < count; i++) {
            mj_step(model, data);
        }
        steps[round] = since(begin) / count;
    }
    printf("%.1f %.1f\n", quantile(sides, rounds), quantile(steps, rounds));
    for (int i = 1; i < model->nbody; i++) {
        printf("%s %.15g %.15g %.15g\n", mj_id2name(model, mjOBJ_BODY, i), centers[3 * i], centers[3 * i + 1],
               centers[3 * i + 2]);
    }
    return 0;
}

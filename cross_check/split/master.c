/* A master for co-simulation, for measurements: FMUs (FMI 2) connected output to input, fixed steps, on one or
 * several processes.
 *
 *     master SYSTEM STOP STEP REPEATS
 *
 * SYSTEM is a text file, a record a line, its words parted by tabs; parts are counted from 0:
 *
 *     part   NAME LIBRARY GUID GROUP WORKER
 *     set    PART REFERENCE VALUE                            a parameter, before initialization
 *     wire   SOURCE REFERENCE TARGET REFERENCE               an output and the input it goes to
 *     watch  PART REFERENCE                                  what to record
 *
 * All parts of a group step at once, group after group: one group makes Jacobi's scheme, more make that of
 * Gauss and Seidel. Parts of a worker share a process; workers meet at spin barriers in shared memory. A part
 * takes its inputs before it steps: those from groups before its own are of the end of the step, all others
 * of its beginning.
 *
 * Prints `seconds` with the wall time of each of REPEATS runs, then a line a communication point (of the last
 * run): time and what is watched. Where a part failed, `failed TIME SENTENCE` and the points before. */
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../importers/loading.h"
#include "fmi2FunctionTypes.h"

enum { MOST = 64, WORDS = 1024, INITIAL_ROUNDS = 4, SPINS = 20000 };

typedef struct {
    char name[200], library[1000], guid[100];
    int group, worker;
    int input_count, output_count, set_count, watch_count;
    fmi2ValueReference inputs[WORDS], outputs[WORDS], sets[WORDS], watches[WORDS];
    double set_values[WORDS];
    int slots[WORDS];   /* where the value of an input is found */
    int early[WORDS];   /* whether it is of a group that has stepped already */
    int columns[WORDS]; /* where a watched value is recorded */
    int first_slot;
    fmi2Component instance;
    fmi2InstantiateTYPE *instantiate;
    fmi2SetupExperimentTYPE *setup;
    fmi2EnterInitializationModeTYPE *enter;
    fmi2ExitInitializationModeTYPE *leave;
    fmi2SetRealTYPE *set_real;
    fmi2GetRealTYPE *get_real;
    fmi2DoStepTYPE *do_step;
    fmi2ResetTYPE *reset;
} Part;

typedef struct {
    int source, target;
    fmi2ValueReference output, input;
} Wire;

/* What the workers share. */
typedef struct {
    atomic_int arrived, phase, failed;
    atomic_int ended; /* whether somebody had failed when all met: the same for everybody until they meet again */
    double failed_at;
    char sentence[800];
} Shared;

static Part parts[MOST];
static Wire wires[MOST * WORDS];
static int part_count, wire_count, watch_count, slot_count, group_count, worker_count;
static Shared *shared;
static double *values[2], *record, *seconds;
static double stop, step;
static long step_count;
static int repeats;
static volatile sig_atomic_t running;

static void give_up(const char *sentence, const char *name)
{
    fprintf(stderr, "%s: %s\n", name, sentence);
    exit(3);
}

static void fail(const Part *part, const char *sentence, double time)
{
    if (!atomic_exchange(&shared->failed, 1)) {
        shared->failed_at = time;
        snprintf(shared->sentence, sizeof shared->sentence, "%s: %s", part->name, sentence);
    }
}

/* What an FMU says last is kept for the sentence of a failure. */
static void listen(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)instance, (void)category;
    if (status > fmi2Warning) {
        char text[400];
        va_list arguments;
        va_start(arguments, message);
        vsnprintf(text, sizeof text, message, arguments);
        va_end(arguments);
        fail(environment, text, NAN);
    }
}

static int passed(const Part *part, fmi2Status status, double time)
{
    if (status <= fmi2Warning) {
        return 1;
    }
    fail(part, "a call failed", time);
    if (isnan(shared->failed_at)) {
        shared->failed_at = time;
    }
    return 0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Wait for all workers; the last one looks whether to go on. */
static void meet(void)
{
    const int phase = atomic_load(&shared->phase);
    if (atomic_fetch_add(&shared->arrived, 1) + 1 == worker_count) {
        atomic_store(&shared->ended, atomic_load(&shared->failed));
        atomic_store(&shared->arrived, 0);
        atomic_fetch_add(&shared->phase, 1);
        return;
    }
    for (long spins = 0; atomic_load(&shared->phase) == phase; spins++) {
        if (spins > SPINS) {
            sched_yield();
        }
    }
}

/* The place of an output among all that are sent. */
static int output_of(Part *part, fmi2ValueReference reference)
{
    for (int k = 0; k < part->output_count; k++) {
        if (part->outputs[k] == reference) {
            return k;
        }
    }
    if (part->output_count == WORDS) {
        give_up("too many outputs", part->name);
    }
    part->outputs[part->output_count] = reference;
    return part->output_count++;
}

static Part *part_of(const char *word)
{
    const long number = word ? strtol(word, NULL, 10) : -1;
    if (number < 0 || number >= part_count) {
        give_up("there is no such part", word ? word : "");
    }
    return &parts[number];
}

static fmi2ValueReference reference_of(const char *word)
{
    return (fmi2ValueReference)strtoul(word ? word : "", NULL, 10);
}

static void read_line(char *line)
{
    char *words[8] = {NULL};
    int count = 0;
    for (char *word = strtok(line, "\t\n"); word && count < 8; word = strtok(NULL, "\t\n")) {
        words[count++] = word;
    }
    if (count == 6 && !strcmp(words[0], "part") && part_count < MOST) {
        Part *part = &parts[part_count++];
        snprintf(part->name, sizeof part->name, "%s", words[1]);
        snprintf(part->library, sizeof part->library, "%s", words[2]);
        snprintf(part->guid, sizeof part->guid, "%s", words[3]);
        part->group = atoi(words[4]);
        part->worker = atoi(words[5]);
        group_count = part->group >= group_count ? part->group + 1 : group_count;
        worker_count = part->worker >= worker_count ? part->worker + 1 : worker_count;
    } else if (count == 4 && !strcmp(words[0], "set") && part_of(words[1])->set_count < WORDS) {
        Part *part = part_of(words[1]);
        part->sets[part->set_count] = reference_of(words[2]);
        part->set_values[part->set_count++] = strtod(words[3], NULL);
    } else if (count == 5 && !strcmp(words[0], "wire") && wire_count < MOST * WORDS) {
        wires[wire_count++] = (Wire){(int)(part_of(words[1]) - parts), (int)(part_of(words[3]) - parts),
                                     reference_of(words[2]), reference_of(words[4])};
    } else if (count == 3 && !strcmp(words[0], "watch") && part_of(words[1])->watch_count < WORDS) {
        Part *part = part_of(words[1]);
        part->columns[part->watch_count] = watch_count++;
        part->watches[part->watch_count++] = reference_of(words[2]);
    } else if (count) {
        give_up("this line cannot be read", words[0]);
    }
}

static void read_system(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        give_up("cannot be read", path);
    }
    char line[3000];
    while (fgets(line, sizeof line, file)) {
        read_line(line);
    }
    fclose(file);
    for (int k = 0; k < wire_count; k++) {
        output_of(&parts[wires[k].source], wires[k].output);
    }
    for (int n = 0; n < part_count; n++) {
        parts[n].first_slot = slot_count;
        slot_count += parts[n].output_count;
    }
    for (int k = 0; k < wire_count; k++) {
        Part *source = &parts[wires[k].source], *target = &parts[wires[k].target];
        if (target->input_count == WORDS) {
            give_up("too many inputs", target->name);
        }
        target->inputs[target->input_count] = wires[k].input;
        target->slots[target->input_count] = source->first_slot + output_of(source, wires[k].output);
        target->early[target->input_count++] = source->group < target->group;
    }
}

static void load(Part *part)
{
    void *library = load_library(part->library);
    if (!library) {
        give_up("cannot be loaded", part->library);
    }
    part->instantiate = (fmi2InstantiateTYPE *)load_function(library, "fmi2Instantiate");
    part->setup = (fmi2SetupExperimentTYPE *)load_function(library, "fmi2SetupExperiment");
    part->enter = (fmi2EnterInitializationModeTYPE *)load_function(library, "fmi2EnterInitializationMode");
    part->leave = (fmi2ExitInitializationModeTYPE *)load_function(library, "fmi2ExitInitializationMode");
    part->set_real = (fmi2SetRealTYPE *)load_function(library, "fmi2SetReal");
    part->get_real = (fmi2GetRealTYPE *)load_function(library, "fmi2GetReal");
    part->do_step = (fmi2DoStepTYPE *)load_function(library, "fmi2DoStep");
    part->reset = (fmi2ResetTYPE *)load_function(library, "fmi2Reset");
    static fmi2CallbackFunctions callbacks[MOST];
    fmi2CallbackFunctions *own = &callbacks[part - parts];
    const fmi2CallbackFunctions filled = {listen, calloc, free, NULL, part};
    memcpy(own, &filled, sizeof filled);
    part->instance =
        part->instantiate(part->name, fmi2CoSimulation, part->guid, "", own, fmi2False, fmi2False);
    if (!part->instance) {
        give_up("cannot be instantiated", part->name);
    }
}

/* Inputs from the buffer of the end of the step, where their part has stepped already, else from the other. */
static int take(Part *part, const double *begin, const double *end, double time)
{
    double taken[WORDS];
    for (int k = 0; k < part->input_count; k++) {
        taken[k] = (part->early[k] ? end : begin)[part->slots[k]];
    }
    return part->input_count == 0 ||
           passed(part, part->set_real(part->instance, part->inputs, (size_t)part->input_count, taken), time);
}

static int give(Part *part, double *buffer, double time)
{
    return part->output_count == 0 ||
           passed(part, part->get_real(part->instance, part->outputs, (size_t)part->output_count,
                                       buffer + part->first_slot), time);
}

static void note(Part *part, long row, double time)
{
    double watched[WORDS];
    if (part->watch_count == 0 ||
        !passed(part, part->get_real(part->instance, part->watches, (size_t)part->watch_count, watched), time)) {
        return;
    }
    for (int k = 0; k < part->watch_count; k++) {
        record[row * watch_count + part->columns[k]] = watched[k];
    }
}

/* All parts of this worker, as long as nobody failed. */
#define OWN(part) \
    for (Part *part = parts; part < parts + part_count; part++) \
        if (part->worker == worker && !atomic_load(&shared->failed))

static void initialize(int worker)
{
    OWN(part)
    {
        (void)(passed(part, part->setup(part->instance, fmi2False, 0.0, 0.0, fmi2True, stop), 0.0) &&
               (part->set_count == 0 ||
                passed(part, part->set_real(part->instance, part->sets, (size_t)part->set_count, part->set_values),
                       0.0)) &&
               passed(part, part->enter(part->instance), 0.0));
    }
    for (int round = 0; round < INITIAL_ROUNDS; round++) {
        OWN(part) give(part, values[0], 0.0);
        meet();
        OWN(part) take(part, values[0], values[0], 0.0);
        meet();
    }
    OWN(part) passed(part, part->leave(part->instance), 0.0);
    OWN(part) give(part, values[0], 0.0);
    OWN(part) note(part, 0, 0.0);
}

static void run(int worker)
{
    for (long i = 0; i < step_count && !atomic_load(&shared->ended); i++) {
        const double begin = (double)i * step, end = i + 1 < step_count ? (double)(i + 1) * step : stop;
        double *before = values[i % 2], *after = values[(i + 1) % 2];
        for (int group = 0; group < group_count; group++) {
            OWN(part)
            {
                if (part->group == group && take(part, before, after, begin) &&
                    passed(part, part->do_step(part->instance, begin, end - begin, fmi2True), begin)) {
                    give(part, after, end);
                }
            }
            meet();
        }
        OWN(part) note(part, i + 1, end);
    }
}

static void work(int worker)
{
    for (Part *part = parts; part < parts + part_count; part++) {
        if (part->worker == worker) {
            load(part);
        }
    }
    for (int n = 0; n < repeats && !atomic_load(&shared->ended); n++) {
        if (n) {
            OWN(part) passed(part, part->reset(part->instance), 0.0);
        }
        initialize(worker);
        meet();
        const double begin = now();
        run(worker);
        if (worker == 0) {
            seconds[n] = now() - begin;
        }
        meet();
    }
}

static void child_ended(int signal)
{
    (void)signal;
    int status;
    while (waitpid(-1, &status, WNOHANG) > 0) {
        if (running && (!WIFEXITED(status) || WEXITSTATUS(status))) {
            _exit(6);
        }
    }
}

static void *share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        give_up("no memory", "master");
    }
    return memory;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: master SYSTEM STOP STEP REPEATS\n");
        return 2;
    }
    stop = strtod(argv[2], NULL), step = strtod(argv[3], NULL), repeats = atoi(argv[4]);
    step_count = lround(stop / step);
    read_system(argv[1]);
    shared = share(sizeof *shared);
    record = share(sizeof(double) * (size_t)((step_count + 1) * watch_count + 1));
    values[0] = share(sizeof(double) * (size_t)(slot_count + 1));
    values[1] = share(sizeof(double) * (size_t)(slot_count + 1));
    seconds = share(sizeof(double) * (size_t)(repeats + 1));
    running = 1;
    signal(SIGCHLD, child_ended);
    for (int worker = 1; worker < worker_count; worker++) {
        const pid_t child = fork();
        if (child < 0) {
            give_up("cannot fork", "master");
        }
        if (child == 0) {
            running = 0;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            work(worker);
            _exit(0);
        }
    }
    work(0);
    const int failed = atomic_load(&shared->failed);
    if (failed) {
        printf("failed %.17g %s", shared->failed_at, shared->sentence);
        step_count = lround(floor(shared->failed_at / step));
    } else {
        printf("seconds");
        for (int n = 0; n < repeats; n++) {
            printf(" %.9g", seconds[n]);
        }
    }
    printf("\n");
    for (long i = 0; watch_count && i <= step_count; i++) {
        printf("%.17g", (double)i * step);
        for (int k = 0; k < watch_count; k++) {
            printf(" %.17g", record[i * watch_count + k]);
        }
        printf("\n");
    }
    return failed ? 5 : 0;
}

#include "layout.h"

/* Memory that is taken piece by piece; `start` is NULL where only its size is wanted. */
typedef struct {
    char *start;
    size_t used;
} Room;

/* Room for at least one element, in whole numbers of the size of a double, which nothing is aligned beyond. */
static void *cut(Room *room, int length, size_t size)
{
    char *const place = room->start ? room->start + room->used : NULL;
    const size_t bytes = (size_t)MODEL_ROOM(length) * size;
    room->used += (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    return place;
}

#define PLACE(type, name, length) of->name = cut(room, length, sizeof(type));

static void place_point(Room *room, Point *of)
{
    const size_t before = room->used;
    POINT_VECTORS(PLACE)
    of->size = room->used - before;
}

static void place_partition(Room *room, Partition *of)
{
    const size_t before = room->used;
    PARTITION_VECTORS(PLACE)
    of->size = room->used - before;
}

static void place_direction(Room *room, Direction *of)
{
    const size_t before = room->used;
    DIRECTION_VECTORS(PLACE)
    of->size = room->used - before;
}

static void place_work(Room *room, Work *of)
{
    Point *const points[] = {&of->trial,  &of->centre, &of->before,    &of->after, &of->solved,
                             &of->closed, &of->beside, &of->elsewhere, &of->start};
    Partition *const partitions[] = {&of->before_call, &of->before_step, &of->before_search, &of->generated};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        place_point(room, points[i]);
    }
    for (size_t i = 0; i < sizeof partitions / sizeof *partitions; i++) {
        place_partition(room, partitions[i]);
    }
    place_direction(room, &of->along);
    place_direction(room, &of->kept_along);
    for (int i = 0; i < MOST_STAGES; i++) {
        of->k[i] = cut(room, ODE_STATES, sizeof(double));
    }
    WORK_VECTORS(PLACE)
}

static void place_tally(Room *room, Tally *of)
{
    TALLY_VECTORS(PLACE)
}

static void place_in_state(Room *room, State *of)
{
    place_point(room, &of->at);
    place_point(room, &of->now);
    place_partition(room, &of->partition);
    place_partition(room, &of->next_partition);
    STATE_VECTORS(PLACE)
}

size_t place_state(State *state, char *memory)
{
    Room room = {memory, 0};
    place_in_state(&room, state);
    return room.used;
}

size_t place_vectors(Instance *self, char *memory)
{
    Room room = {memory, 0};
    place_in_state(&room, &self->state);
    self->state_memory = memory;
    self->state_size = room.used;
    place_work(&room, &self->work);
    place_tally(&room, &self->tally);
    return room.used;
}

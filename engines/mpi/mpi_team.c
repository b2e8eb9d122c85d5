#include "team_plugin.h"

#include "halfspace.h"
#include "halfspace_internal.h"

#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <time.h>

enum {
    TAG = 1,
    PIECE = 1 << 30, /* MPI counts with int */
    SPINS = 2000,    /* looks at a message before a process begins to sleep between two of them: about a millisecond */
    NAP = 200000     /* nanoseconds */
};

static hsp_team_stopped *is_stopped;

static void stop_when(hsp_team_stopped *stopped) {
    is_stopped = stopped;
}

static int join(hsp_team_stopped *stopped, int *rank, int *ranks) {
    int level;
    is_stopped = stopped;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return HSP_EINTERNAL;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
    return 0;
}

/* MPI's own waits take a whole processor and never end when another rank is gone. */
static int finish(MPI_Request *request) {
    struct timespec nap = {.tv_nsec = NAP};
    for (int64_t looks = 0;; looks++) {
        int done = 0;
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return HSP_EIO;
        if (done) return 0;
        if (looks < SPINS) continue;
        if (is_stopped && is_stopped()) return HSP_ECANCELLED;
        nanosleep(&nap, NULL);
    }
}

/* What moves a piece of bytes: one of the three below. */
typedef int mover(char *bytes, int count, int peer, MPI_Request *request);

static int move_all(char *bytes, int count, int peer, MPI_Request *request) {
    return MPI_Ibcast(bytes, count, MPI_BYTE, peer, MPI_COMM_WORLD, request);
}

static int move_out(char *bytes, int count, int peer, MPI_Request *request) {
    return MPI_Isend(bytes, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, request);
}

static int move_in(char *bytes, int count, int peer, MPI_Request *request) {
    return MPI_Irecv(bytes, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, request);
}

static int move(mover *one, char *bytes, size_t size, int peer) {
    int status = 0;
    for (size_t at = 0; at < size && !status; at += PIECE) {
        MPI_Request request;
        int count = size - at < PIECE ? (int)(size - at) : PIECE;
        status = one(bytes + at, count, peer, &request) == MPI_SUCCESS ? finish(&request) : HSP_EIO;
    }
    return status;
}

/* The size first. MPI does not change what it sends. */
static int give(mover *one, int peer, const void *bytes, size_t size) {
    uint64_t length = size;
    int status = move(one, (char *)&length, sizeof length, peer);
    return status ? status : move(one, (char *)(uintptr_t)bytes, size, peer);
}

static int get(mover *one, int peer, void **bytes, size_t *size) {
    uint64_t length = 0;
    *bytes = NULL;
    *size = 0;
    int status = move(one, (char *)&length, sizeof length, peer);
    if (status) return status;
    *bytes = hsp_alloc_zero((int64_t)length, 1);
    if (!*bytes) return HSP_EMEMORY;
    status = move(one, *bytes, (size_t)length, peer);
    *size = (size_t)length;
    if (status) {
        hsp_free(*bytes);
        *bytes = NULL;
    }
    return status;
}

static int spread(const void *bytes, size_t size) {
    return give(move_all, 0, bytes, size);
}

static int receive(void **bytes, size_t *size) {
    return get(move_all, 0, bytes, size);
}

static int send_to(int to, const void *bytes, size_t size) {
    return give(move_out, to, bytes, size);
}

static int take_from(int from, void **bytes, size_t *size) {
    return get(move_in, from, bytes, size);
}

static void leave(void) {
    MPI_Finalize();
}

const hsp_team_calls hsp_team = {
    .join = join,
    .stop_when = stop_when,
    .spread = spread,
    .receive = receive,
    .send = send_to,
    .take = take_from,
    .leave = leave,
};

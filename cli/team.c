#include "team.h"

#include "command.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "interrupt.h"

#include "team_plugin.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What process 0 spreads: one of these letters, then the content. */
enum { OPEN = 'o', ASK = 'a', END = 'e' };

/* Who a process is, to find out whether it lives. */
typedef struct team_member {
    char host[64];
    int64_t process;
} team_member;

/* What a process answers: the status, then the reply or the message of an error. */
typedef struct answer {
    int64_t status;
    void *bytes; /* owned */
    size_t size;
} answer;

static struct {
    bool exists;
    hsp_team_calls calls;
    int rank, ranks;
    pid_t parent;
    team_member *members; /* ranks; of process 0 */
    hsp_part *part;  /* of this process; NULL: none */
    answer opened;   /* a failure of hsp_part_open, for the first request */
    void *reply;     /* of process 0, borrowed by the library */
    hsp_engine engine;
} team;

/* ---- joining ----------------------------------------------------------------------------------------------------- */

/* Set for each process by Open MPI, by MPICH and its relatives, and by Slurm's and others' PMIx. */
static bool is_started_by_mpirun(void) {
    return getenv("OMPI_COMM_WORLD_RANK") || getenv("PMI_RANK") || getenv("PMIX_RANK");
}

static bool load_calls(hsp_team_calls *calls) {
    /* Open MPI loads libraries of its own, which look for it among the global symbols. */
    void *handle = dlopen("libhalfspace_mpi.so.0", RTLD_NOW | RTLD_GLOBAL);
    const hsp_team_calls *found = handle ? dlsym(handle, "hsp_team") : NULL;
    if (found) *calls = *found;
    return found != NULL;
}

/* When mpirun itself is gone, nobody would end the processes. */
static int is_orphan(void) {
    return getppid() != team.parent;
}

/* Process 0 waits for others: a signal means that mpirun ends them all. */
static int is_stopped(void) {
    return hsp_cli_interrupted() || is_orphan();
}

/* The others end with process 0, not before it: who is gone when a signal comes to process 0 died on its own. */
static void wait_for_orders(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], SIG_IGN);
}

/* Tells process 0 who everybody is. */
static int introduce(void) {
    team_member self = {.process = getpid()};
    gethostname(self.host, sizeof self.host - 1);
    if (team.rank > 0) return team.calls.send(0, &self, sizeof self);
    team.members = hsp_alloc_zero(team.ranks, sizeof *team.members);
    if (!team.members) return HSP_EMEMORY;
    team.members[0] = self;
    int status = 0;
    for (int k = 1; k < team.ranks && !status; k++) {
        void *bytes = NULL;
        size_t size = 0;
        status = team.calls.take(k, &bytes, &size);
        if (!status && size == sizeof self) memcpy(&team.members[k], bytes, size);
        hsp_free(bytes);
    }
    return status;
}

/* ---- answering --------------------------------------------------------------------------------------------------- */

/* Takes over the error. */
static answer failure(int status, hsp_error **err) {
    answer a = {.status = status};
    const char *message = *err ? hsp_error_message(*err) : "out of memory";
    a.bytes = hsp_strdup(message);
    a.size = a.bytes ? strlen(message) : 0;
    hsp_error_free(*err);
    *err = NULL;
    return a;
}

static void open_part(const char *description) {
    hsp_error *err = NULL;
    int status = hsp_part_open(description, &team.part, &err);
    if (status) team.opened = failure(status, &err);
}

static answer answer_here(const void *request, size_t size) {
    answer a = {0};
    hsp_error *err = NULL;
    if (team.opened.status) { /* it ends with this round */
        a = team.opened;
        team.opened = (answer){0};
        return a;
    }
    if (!team.part) return a;
    int status = hsp_part_answer(team.part, request, size, &a.bytes, &a.size, &err);
    return status ? failure(status, &err) : a;
}

/* Process k has an answer for itself and those after it; the failure of the first process stays, else replies are added. */
static answer join(answer a, answer b) {
    if (a.status || b.size == 0) {
        hsp_free(b.bytes);
        return a;
    }
    if (b.status || a.size == 0) {
        hsp_free(a.bytes);
        return b;
    }
    answer sum = {0};
    hsp_error *err = NULL;
    int status = hsp_reply_add(a.bytes, a.size, b.bytes, b.size, &sum.bytes, &sum.size, &err);
    HSP_FREE(a.bytes, b.bytes);
    return status ? failure(status, &err) : sum;
}

static int send_answer(int to, const answer *a) {
    int status = team.calls.send(to, &a->status, sizeof a->status);
    return status ? status : team.calls.send(to, a->bytes, a->size);
}

static int take_answer(int from, answer *out) {
    void *head = NULL;
    size_t size = 0;
    int status = team.calls.take(from, &head, &size);
    if (!status && size == sizeof out->status) memcpy(&out->status, head, size);
    hsp_free(head);
    return status ? status : team.calls.take(from, &out->bytes, &out->size);
}

/* The answers of all processes go to process 0 along a binomial tree, so that no process holds more than two and their sum. */
static int gather(answer *a) {
    for (int step = 1; step < team.ranks; step *= 2) {
        if (team.rank & step) return send_answer(team.rank - step, a);
        if (team.rank + step >= team.ranks) continue;
        answer b = {0};
        int status = take_answer(team.rank + step, &b);
        if (status) return status;
        *a = join(*a, b);
    }
    return 0;
}

static int serve_round(const char *order, size_t size) {
    answer a = answer_here(order + 1, size - 1);
    int status = gather(&a);
    hsp_free(a.bytes);
    return status;
}

/* Descriptions are texts, one after the other, each with its zero. */
static const char *text_at(const char *order, size_t size, int k) {
    const char *text = order + 1;
    for (; k > 0 && text < order + size; k--) text += strlen(text) + 1;
    return text < order + size ? text : NULL;
}

static void serve(void) {
    for (bool over = false; !over;) {
        void *order = NULL;
        size_t size = 0;
        int status = team.calls.receive(&order, &size);
        if (status || size == 0) _exit(HSP_EXIT_SYSTEM); /* process 0 is gone, or memory is: mpirun ends the others */
        const char *text = order;
        if (*text == OPEN) {
            const char *description = text_at(text, size, team.rank);
            if (description) open_part(description);
        } else if (*text == ASK && serve_round(text, size)) {
            _exit(HSP_EXIT_SYSTEM);
        }
        over = *text == END;
        hsp_free(order);
    }
}

/* ---- process 0 --------------------------------------------------------------------------------------------------- */

/* mpirun reaped a process that died, or it waits for that as a zombie. */
static bool is_gone(const team_member *m) {
    char path[64], line[512] = "";
    if (kill((pid_t)m->process, 0)) return true;
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)m->process);
    FILE *f = fopen(path, "r");
    if (!f) return true;
    bool read = fgets(line, sizeof line, f) != NULL;
    fclose(f);
    const char *end = read ? strrchr(line, ')') : NULL;
    return end && strncmp(end, ") Z", 3) == 0;
}

static const team_member *find_gone(int *rank) {
    for (int k = 1; team.members && k < team.ranks; k++) {
        if (strcmp(team.members[k].host, team.members[0].host) != 0 || !is_gone(&team.members[k])) continue;
        *rank = k;
        return &team.members[k];
    }
    return NULL;
}

void hsp_cli_team_check(void) {
    if (!team.exists || !is_stopped()) return;
    int rank = 0;
    const team_member *gone = find_gone(&rank);
    hsp_files_drop();
    if (gone)
        hsp_cli_fail(0, "process %d of %d (%lld on %s) died: no model was written: start it again", rank,
                     team.ranks, (long long)gone->process, gone->host);
    else
        hsp_cli_fail(0, "stopped by a signal, as when one of the %d processes dies: no model was written: start it again",
                     team.ranks);
    fflush(NULL);
    _exit(HSP_EXIT_SYSTEM); /* MPI_Finalize would wait for those that are gone */
}

static int spread(char letter, const void *content, size_t size) {
    char *order = hsp_alloc_zero((int64_t)size + 1, 1);
    if (!order) return HSP_EMEMORY;
    *order = letter;
    if (size) memcpy(order + 1, content, size);
    int status = team.calls.spread(order, size + 1);
    hsp_free(order);
    return status;
}

static int ask(void *user, const void *request, size_t size, const void **reply, size_t *reply_size, char *why) {
    (void)user;
    answer a = {0};
    hsp_free(team.reply);
    team.reply = NULL;
    int status = spread(ASK, request, size);
    if (!status) a = answer_here(request, size);
    if (!status) status = gather(&a);
    hsp_cli_team_check();
    if (!status && a.status) {
        snprintf(why, HSP_WHY_SIZE, "%.*s", (int)a.size, a.bytes ? (const char *)a.bytes : "");
        status = (int)a.status;
    }
    if (status) {
        hsp_free(a.bytes);
        return status;
    }
    *reply = team.reply = a.bytes;
    *reply_size = a.size;
    return 0;
}

static const char *description_at(const hsp_report *plan, int64_t k) {
    return hsp_report_text(hsp_report_item(plan, "parts", k), "description");
}

int hsp_cli_team_open(const hsp_report *plan, const hsp_engine **out) {
    int64_t count = hsp_report_count(plan, "parts");
    size_t size = 0, at = 0;
    for (int64_t k = 0; k < count; k++) size += strlen(description_at(plan, k)) + 1;
    char *all = hsp_alloc_zero((int64_t)size, 1);
    for (int64_t k = 0; all && k < count; k++) {
        size_t length = strlen(description_at(plan, k)) + 1;
        memcpy(all + at, description_at(plan, k), length);
        at += length;
    }
    int status = all ? spread(OPEN, all, size) : HSP_EMEMORY;
    if (!status && count > 0) open_part(all);
    hsp_free(all);
    hsp_cli_team_check();
    if (status) return hsp_cli_fail_memory();
    team.engine = (hsp_engine){.size = sizeof team.engine, .ask = ask, .name = "mpi", .parts = count};
    *out = &team.engine;
    return 0;
}

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

static void leave(void) {
    team.calls.leave();
    hsp_part_free(team.part);
    HSP_FREE(team.opened.bytes, team.reply, team.members);
}

int hsp_cli_team_begin(bool *serves) {
    *serves = false;
    if (!is_started_by_mpirun()) return 0;
    team.parent = getppid();
    const char *ranks = getenv("OMPI_COMM_WORLD_SIZE"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!load_calls(&team.calls)) {
        *serves = rank && strcmp(rank, "0") != 0;
        if (*serves || (ranks && strcmp(ranks, "1") == 0)) return 0;
        return hsp_cli_fail(HSP_EXIT_USAGE, "mpirun started this program, which has no libhalfspace_mpi: install Open MPI and "
                                            "build it again, or leave out mpirun");
    }
    if (team.calls.join(is_stopped, &team.rank, &team.ranks))
        return hsp_cli_fail(HSP_EXIT_SYSTEM, "cannot reach the other processes that mpirun started: see its messages");
    team.exists = true;
    *serves = team.rank > 0;
    if (*serves) {
        wait_for_orders();
        team.calls.stop_when(is_orphan);
    }
    if (introduce()) return HSP_EXIT_SYSTEM;
    if (*serves) {
        serve();
        leave();
    }
    return 0;
}

bool hsp_cli_team_exists(void) {
    return team.exists;
}

int hsp_cli_team_size(void) {
    return team.ranks;
}

void hsp_cli_team_end(void) {
    if (!team.exists) return;
    spread(END, NULL, 0);
    leave();
}

#include "read/cache.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/report.h"
#include "base/text.h"
#include "option/options.h"
#include "read/hsd.h"
#include "table/rules.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

/* To be raised when a change of the readers makes them read the same text differently. */
#define CACHE_VERSION 1
/* The coarsest resolution of file times, in nanoseconds: 2 seconds (FAT). */
#define COARSE 2000000000

/* The state of a file. */
typedef struct stamp {
    int64_t size, changed, touched; /* bytes; times of modification and status change, in ns */
    uint64_t device, inode;
} stamp;

struct hsp_cache {
    char *text, *path;   /* owned: paths of the text and of its cache */
    hsp_report *options; /* owned: as in the key */
    stamp before;        /* of the text when the cache was opened */
    int64_t seen;        /* time of that */
    int threads;
    bool closed; /* no cache is used or written */
    hsp_text note;
};

static int64_t nanoseconds(struct timespec t) {
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool stat_file(const char *path, stamp *out) {
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return false;
    *out = (stamp){s.st_size, nanoseconds(s.st_mtim), nanoseconds(s.st_ctim), (uint64_t)s.st_dev, (uint64_t)s.st_ino};
    return true;
}

static bool same_file(const stamp *a, const stamp *b) {
    return a->touched == b->touched && a->device == b->device && a->inode == b->inode;
}

/* Gives the cache up; the note tells the user why. */
static int close_with(hsp_cache *c, const char *why, hsp_error **err) {
    c->closed = true;
    hsp_text_clear(&c->note);
    hsp_text_format(&c->note, "cannot cache %s: %s", c->text, why);
    return c->note.failed ? hsp_fail_memory(err) : 0;
}

/* ---- opening ---- */

/* The reading options that differ from their defaults, in the order of the table; and the ending of the
 * name, which may determine the format. */
static int report_options(const char *path, const hsp_options *o, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    const char *slash = strrchr(path, '/'), *ending = strchr(slash ? slash : path, '.');
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "ending", ending ? ending : "");
    for (int64_t i = 0; i < hsp_option_table_size; i++) {
        const hsp_option *p = &hsp_option_table[i];
        const char *value = hsp_options_text(o, p->name);
        bool usual = !value || (p->initial && strcmp(value, p->initial) == 0);
        if (strcmp(p->group, "read") == 0 && strcmp(p->name, "cache") != 0 && p->type != HSP_OPTION_SIZE && !usual)
            hsp_json_string(&j, p->name, value);
    }
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

static int open_cache(hsp_cache *c, const char *path, const hsp_options *o, hsp_error **err) {
    hsp_text name = {0};
    struct timespec now;
    c->text = hsp_strdup(strcmp(path, "-") == 0 ? "<stdin>" : path);
    if (!c->text) return hsp_fail_memory(err);
    hsp_text_format(&name, "%s.hsd", path);
    int status = hsp_text_take(&name, &c->path, err);
    if (status == 0) status = report_options(path, o, &c->options, err);
    if (status < 0) return status;
    c->threads = hsp_pool_threads(hsp_options_int(o, "threads", 0));
    clock_gettime(CLOCK_REALTIME, &now);
    c->seen = nanoseconds(now);
    if (strcmp(path, "-") == 0) return close_with(c, "a stream can be read only once", err);
    if (!stat_file(path, &c->before)) return close_with(c, "only regular files can be cached", err);
    if (hsp_options_text(o, "labels"))
        return close_with(c, "its labels are in another file; `halfspace convert` keeps both in one file", err);
    if (hsp_options_text(o, "group") || hsp_options_text(o, "time"))
        return close_with(c, "a cache has no groups or times", err);
    if (hsp_table_rules_asked(o)) return close_with(c, "options change the encoding of its columns", err);
    return 0;
}

int hsp_cache_open(const char *path, const hsp_options *o, hsp_cache **out, hsp_error **err) {
    *out = NULL;
    hsp_cache *c = hsp_alloc_zero(1, sizeof *c);
    if (!c) return hsp_fail_memory(err);
    int status = open_cache(c, path, o, err);
    if (status < 0)
        hsp_cache_close(c);
    else
        *out = c;
    return status;
}

void hsp_cache_close(hsp_cache *c) {
    if (!c) return;
    hsp_text_free(&c->note);
    hsp_report_free(c->options);
    HSP_FREE(c->text, c->path, c);
}

const char *hsp_cache_note(const hsp_cache *c) {
    return c->note.length > 0 ? c->note.s : NULL;
}

bool hsp_cache_wants(const hsp_cache *c) {
    return !c->closed;
}

/* ---- finding ---- */

/* The key in the header of a cache. */
typedef struct key {
    int64_t version;
    stamp text;
    uint64_t seen, hash;
} key;

static bool read_hex(const hsp_json_value *from, const char *name, uint64_t *out) {
    return hsp_json_hex(hsp_json_get(from, name), out);
}

/* Whether the text still has this hash. */
static bool same_bytes(const hsp_cache *c, uint64_t hash) {
    hsp_map *map = NULL;
    if (hsp_map_open(c->text, &map, NULL) < 0) return false;
    hsp_map_expect(map);
    bool same = hsp_map_size(map) == c->before.size && XXH3_64bits(hsp_map_bytes(map), (size_t)hsp_map_size(map)) == hash;
    hsp_map_close(map);
    return same;
}

/* Whether a file that cannot be opened is a cache damaged by a power failure, not a file of the user: it is empty, or
 * begins with a block of zeros, or its header is that of a cache. */
static bool is_damaged_cache(const hsp_map *map) {
    static const char mark[] = "\"cache\": {\"version\":";
    int64_t size = hsp_map_size(map), most = 4096, zeros = 0;
    while (zeros < size && zeros < most && hsp_map_bytes(map)[zeros] == 0) zeros++;
    return zeros == size || zeros == most ||
           (hsp_hsd_begins(hsp_map_bytes(map), size) &&
            memmem(hsp_map_bytes(map), (size_t)(size < most ? size : most), mark, sizeof mark - 1));
}

/* False: the file has no such key, so it is not a cache. */
static bool read_key(const hsp_hsd *f, key *k) {
    const hsp_json_value *from = hsp_json_get(f->file.json, "cache");
    uint64_t size, changed, touched;
    if (!hsp_json_whole(hsp_json_get(from, "version"), &k->version) || !read_hex(from, "size", &size) ||
        !read_hex(from, "changed", &changed) || !read_hex(from, "touched", &touched) ||
        !read_hex(from, "device", &k->text.device) || !read_hex(from, "inode", &k->text.inode) ||
        !read_hex(from, "seen", &k->seen) || !read_hex(from, "hash", &k->hash))
        return false;
    k->text.size = (int64_t)size;
    k->text.changed = (int64_t)changed;
    k->text.touched = (int64_t)touched;
    return true;
}

/* Whether the cache is valid for the text as it is now. */
static bool is_valid(const hsp_cache *c, const hsp_hsd *f, const key *k) {
    const hsp_json_value *cache = hsp_json_get(f->file.json, "cache");
    hsp_report *options = NULL;
    hsp_json j = {0};
    hsp_report_add_parsed(&j, NULL, hsp_json_get(cache, "options"));
    bool same = !hsp_json_take(&j, &options, NULL) && hsp_report_equal(options, c->options) &&
                k->version == CACHE_VERSION && k->text.size == c->before.size && k->text.changed == c->before.changed;
    hsp_report_free(options);
    if (!same) return false;
    bool untouched = same_file(&k->text, &c->before) && (int64_t)k->seen - k->text.touched >= COARSE;
    return untouched || same_bytes(c, k->hash);
}

/* Withdraws permissions of the cache that the text no longer gives. Only the owner can; others use it as it is. */
static void follow_permissions(const hsp_cache *c) {
    struct stat text, cache;
    if (stat(c->text, &text) != 0 || stat(c->path, &cache) != 0) return;
    mode_t mode = cache.st_mode & (text.st_mode | 0700) & 07777;
    if (mode != (cache.st_mode & 07777) && chmod(c->path, mode) != 0) errno = 0;
}

/* The data of a valid cache: 1, or 0 when it is damaged. */
static int load_data(const hsp_cache *c, const hsp_hsd *f, hsp_data **out, hsp_error **err) {
    int status = hsp_hsd_load(f, c->threads, out, NULL);
    follow_permissions(c);
    if (status < 0) return status == HSP_EMEMORY ? hsp_fail_memory(err) : 0;
    hsp_free((*out)->source);
    (*out)->source = hsp_strdup(c->text);
    if ((*out)->source) return 1;
    hsp_data_free(*out);
    *out = NULL;
    return hsp_fail_memory(err);
}

static int open_and_load(hsp_cache *c, hsp_map *map, hsp_data **out, hsp_error **err) {
    hsp_hsd *f = NULL;
    hsp_error *why = NULL;
    key k;
    int status = hsp_hsd_open(map, c->path, &f, &why);
    if (status == HSP_EMEMORY) {
        hsp_error_pass(err, why);
        return status;
    }
    if (status < 0 && is_damaged_cache(map)) {
        status = 0;
    } else if (status < 0 || !read_key(f, &k) || k.version > CACHE_VERSION) {
        hsp_text t = {0};
        hsp_text_format(&t, "%s is %s: remove it, or leave --cache out", c->path,
                        status < 0 ? "damaged or not a data file" : "a cache of another version");
        status = t.failed ? hsp_fail_memory(err) : close_with(c, t.s, err);
        hsp_text_free(&t);
    } else {
        status = is_valid(c, f, &k) ? load_data(c, f, out, err) : 0;
    }
    hsp_error_free(why);
    hsp_hsd_close(f);
    return status;
}

int hsp_cache_find(hsp_cache *c, hsp_data **out, hsp_error **err) {
    *out = NULL;
    if (c->closed) return 0;
    hsp_map *map = NULL;
    hsp_error *why = NULL;
    struct stat s;
    if (lstat(c->path, &s) != 0 && errno == ENOENT) return 0;
    if (hsp_map_open(c->path, &map, &why) < 0) {
        int status = close_with(c, why ? hsp_error_message(why) : "its cache cannot be opened", err);
        hsp_error_free(why);
        return status;
    }
    int status = open_and_load(c, map, out, err);
    hsp_map_close(map);
    return status;
}

/* ---- keeping ---- */

static void add_hex(hsp_json *j, const char *name, uint64_t v) {
    char hex[17];
    hsp_hex(v, hex);
    hsp_json_string(j, name, hex);
}

static int write_file(const hsp_cache *c, const hsp_data *data, uint64_t hash, hsp_error **err) {
    hsp_out *out = NULL;
    hsp_report *header = NULL;
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "version", CACHE_VERSION);
    add_hex(&j, "size", (uint64_t)c->before.size);
    add_hex(&j, "changed", (uint64_t)c->before.changed);
    add_hex(&j, "touched", (uint64_t)c->before.touched);
    add_hex(&j, "device", c->before.device);
    add_hex(&j, "inode", c->before.inode);
    add_hex(&j, "seen", (uint64_t)c->seen);
    add_hex(&j, "hash", hash);
    hsp_json_report(&j, "options", c->options);
    hsp_json_object_end(&j);
    int status = hsp_json_take(&j, &header, err);
    if (status == 0) status = hsp_out_open_like(c->path, c->text, &out, err);
    if (status == 0) status = hsp_hsd_write(data, header, out, err);
    if (status == 0) {
        hsp_out_skip_sync(out); /* a cache can be written again, and digests reveal an incomplete one */
        status = hsp_out_commit(out, err);
        out = NULL;
    }
    hsp_out_abandon(out);
    hsp_report_free(header);
    return status;
}

int hsp_cache_keep(hsp_cache *c, const hsp_data *data, uint64_t hash, hsp_error **err) {
    if (c->closed) return 0;
    stamp after;
    if (!stat_file(c->text, &after) ||
        !(c->before.size == after.size && c->before.changed == after.changed && same_file(&c->before, &after)))
        return close_with(c, "it changed while it was read", err);
    hsp_error *why = NULL;
    int status = write_file(c, data, hash, &why);
    if (status == HSP_EMEMORY || status == HSP_ECANCELLED) {
        hsp_error_pass(err, why);
        return status;
    }
    if (status < 0) status = close_with(c, why ? hsp_error_message(why) : "it cannot be written", err);
    hsp_error_free(why);
    return status;
}

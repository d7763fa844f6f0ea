/* compile.c - see compile.h: find the compiler, run it in a directory of its own, put the result in place,
 * load it. */
#define _POSIX_C_SOURCE 200809L
#include "codegen/compile.h"

#include "base/text.h"
#include "codegen/compile_cache.h"
#include "codegen/compile_process.h"
#include "codegen/emit.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every operation rounds once, in the order written: interpreted models have the same bits. */
#define ALWAYS "-shared", "-fPIC", "-std=c99", "-ffp-contract=off", "-fno-builtin", "-fno-math-errno", "-w"
static const char *const plain_flags[] = {ALWAYS, NULL};
/* Instructions with three operands, one of them in memory, save a tenth of them in the recurrences of
 * `taylor`. Wider lanes than two would wait for pieces that were stored one by one. */
#define WIDE ALWAYS, "-mavx", "-mprefer-vector-width=128"
static const char *const wide_flags[] = {WIDE, NULL};
/* 32 registers in place of 16: a step of dop853 with its stages in them takes a sixth less time.  What is to
 * go by lanes is written so; gcc 12, left to find more, rounds a product and a sum once (vfmaddsub). */
static const char *const many_flags[] = {WIDE, "-mavx512vl", "-mavx512dq", "-fno-tree-vectorize", NULL};

/* Lanes are written as such: nothing is left to be found.  The instructions of the wider ones bring those
 * that round a product and a sum once, which are not to be used. */
static const char *const four_flags[] = {ALWAYS, "-mavx2", "-fno-tree-vectorize", NULL};
static const char *const eight_flags[] = {ALWAYS,       "-mavx512f",           "-mavx512vl",
                                          "-mavx512dq", "-fno-tree-vectorize", NULL};

int compile_lanes(void) {
#if defined __x86_64__ && defined __GNUC__
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return 8;
    if (__builtin_cpu_supports("avx2")) return 4;
#endif
    return 2;
}

/* The GPU of this machine, every operation rounded once. */
static const char *const device_flags[] = {"-shared", "-Xcompiler", "-fPIC", "-std=c++17", "--fmad=false",
                                           "-w",      "-x",         "cu",    NULL};

/* Rolled loops gain from the lanes that gcc finds: without the instructions of AVX-512 it has none that
 * rounds once. */
static const char *const *flags_here(const struct compile_limits *l, const char *source) {
    int wide = compile_lanes(), lanes = l->lanes;
    if (l->device) return device_flags;
    if (lanes >= 8 && wide >= 8) return eight_flags;
    if (lanes >= 4 && wide >= 4) return four_flags;
    if (lanes) return plain_flags;
#if defined __x86_64__ && defined __GNUC__
    int many = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (many && !strstr(source, EMIT_LOOP)) return many_flags;
    if (__builtin_cpu_supports("avx")) return wide_flags;
#else
    (void)wide_flags, (void)many_flags, (void)source;
#endif
    return plain_flags;
}

/* Straight code of this length gains nothing from more than -O1, which takes nearly twice the time
 * (gcc 12). */
enum { LONG_SOURCE = 300000 };
enum { LOG_BYTES = 16 << 20 };

/* The length of a source without its tables, which cost a compiler next to nothing. */
static size_t length_of(const char *source) {
    static const char table[] = "static const int ";
    size_t length = 0;
    for (const char *line = source, *next; *line; line = next) {
        int is_table = strncmp(line, table, sizeof table - 1) == 0;
        const char *end = is_table ? strstr(line, "};") : strchr(line, '\n');
        next = end ? end + (is_table ? 2 : 1) : line + strlen(line);
        if (!is_table) length += (size_t)(next - line);
    }
    return length;
}

/* Steps that are written out have all loops over states and stages behind them, and their numbers in arrays
 * that nobody else knows: -O1, without asking what points where, which bits are known and where registers are
 * scarce, makes the same code of them in half of the time. */
static int is_straight(const char *source) {
    return strstr(source, EMIT_WRITTEN) && !strstr(source, EMIT_MECHANISM);
}

/* Loops of single runs wait for one operation after the other, and a processor finds by itself what can go
 * beside that: in the order of the text what is looked at afterwards stays behind what the next step waits
 * for.  The compiler's own order, -fschedule-insns2, mixes them. */
static int is_waiting(const char *source) {
    return strstr(source, EMIT_ALONE) != NULL;
}

/* plainly: by options that every compiler knows. */
static const char *const *optimisation(const char *source, int plainly) {
    static const char *const full[] = {"-O3", NULL}, *const some[] = {"-O1", NULL};
    static const char *const waiting[] = {"-O3", "-fno-schedule-insns2", NULL};
    static const char *const straight[] = {"-O1", "-fno-tree-pta", "-fno-tree-bit-ccp", "-fira-region=one",
                                           NULL};
    if (is_straight(source)) return plainly ? some : straight;
    if (length_of(source) >= LONG_SOURCE) return some;
    return is_waiting(source) && !plainly ? waiting : full;
}

/* The first `name` in the absolute directories of $PATH.  Others are passed over: what runs must not
 * depend on where the user happens to stand. */
static int find_program(const char *name, char out[COMPILE_PATH]) {
    if (strchr(name, '/')) {
        int length = snprintf(out, COMPILE_PATH, "%s", name);
        return name[0] == '/' && length < COMPILE_PATH && access(out, X_OK) == 0;
    }
    const char *path = getenv("PATH");
    for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *path;) {
        size_t width = strcspn(path, ":");
        int length = snprintf(out, COMPILE_PATH, "%.*s/%s", (int)width, path, name);
        if (path[0] == '/' && length < COMPILE_PATH && access(out, X_OK) == 0) return 1;
        path += width + (path[width] == ':');
    }
    return 0;
}

/* $CC and $KEEL_NVCC are words between blanks, options included; quotes and the like would need a shell and
 * are refused. */
static enum compile_status find_tool(int device, struct compile_tool *tool, char *message, size_t capacity) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+=./,:@%~";
    const char *name = device ? "KEEL_NVCC" : "CC", *cc = getenv(name), *usual = device ? "nvcc" : "cc";
    *tool = (struct compile_tool){0};
    int length = snprintf(tool->text, sizeof tool->text, "%s", cc && cc[strspn(cc, " ")] ? cc : usual);
    if (length >= (int)sizeof tool->text || tool->text[strspn(tool->text, plain)]) {
        text_set(message, capacity,
                 "%s holds more than a compiler and options between blanks, and is not used.", name);
        return COMPILE_REFUSED;
    }
    for (char *c = tool->text; *c;) {
        c += strspn(c, " ");
        if (!*c) break;
        if (tool->words == COMPILE_WORDS) {
            text_set(message, capacity, "%s has more than %d words, and is not used.", name, COMPILE_WORDS);
            return COMPILE_REFUSED;
        }
        tool->argument[tool->words++] = c;
        c += strcspn(c, " ");
        if (*c) *c++ = '\0';
    }
    if (find_program(tool->argument[0], tool->program)) return COMPILE_READY;
    text_set(message, capacity,
             device ? "There is no CUDA compiler `%s` here; KEEL_NVCC can name one."
                    : "There is no C compiler `%s` here.",
             tool->argument[0]);
    return COMPILE_ABSENT;
}

/* A directory of this build alone. */
struct build {
    char directory[COMPILE_PATH + 16], source[COMPILE_PATH + 32], library[COMPILE_PATH + 32],
        log[COMPILE_PATH + 32];
};

const char *const compile_build_files[] = {"model.c", "model.so", "messages", NULL};

static int build_open(struct build *b, const char *cache) {
    snprintf(b->directory, sizeof b->directory, "%s/build.XXXXXX", cache);
    if (!mkdtemp(b->directory)) return -1;
    snprintf(b->source, sizeof b->source, "%s/%s", b->directory, compile_build_files[0]);
    snprintf(b->library, sizeof b->library, "%s/%s", b->directory, compile_build_files[1]);
    snprintf(b->log, sizeof b->log, "%s/%s", b->directory, compile_build_files[2]);
    return 0;
}

static void build_close(const struct build *b) {
    if (!b->directory[0]) return;
    unlink(b->source);
    unlink(b->library);
    unlink(b->log);
    rmdir(b->directory);
}

static int write_source(const char *path, const char *source) {
    FILE *file = fopen(path, "wxe");
    if (!file) return -1;
    int failed = fputs(source, file) < 0;
    return fclose(file) || failed ? -1 : 0;
}

/* A compiler gets a minute, and more for long sources: gcc 12 takes some 20 microseconds a byte. */
static double seconds_for(const char *source, const struct compile_limits *l) {
    return l->seconds > 0 ? l->seconds : 60 + 2e-4 * (double)strlen(source);
}

/* A compiler at work on a source that lives as long. */
struct compile_work {
    const char *source;
    struct compile_limits limits;
    int plainly; /* the compiler does not know all options that gcc knows */
    struct build b;
    struct process process;
    char cache[COMPILE_PATH], target[COMPILE_PATH + 48];
};

static int start_compiler(const struct compile_tool *tool, struct compile_work *w) {
    const struct compile_limits *l = &w->limits;
    char *argument[COMPILE_WORDS + 24];
    int count = 0;
    int target = !l->device;
    for (int i = 0; i < tool->words; i++) {
        target |= strncmp(tool->argument[i], "-arch", 5) == 0 || strncmp(tool->argument[i], "-gen", 4) == 0;
        argument[count++] = tool->argument[i];
    }
    if (!target) argument[count++] = (char *)"-arch=native";
    const char *const *flags = flags_here(l, w->source);
    for (int i = 0; flags[i]; i++) argument[count++] = (char *)flags[i];
    const char *const *level = optimisation(w->source, w->plainly);
    for (int i = 0; level[i]; i++) argument[count++] = (char *)level[i];
    const char *files[] = {"-o", w->b.library, w->b.source, "-lm"};
    for (int i = 0; i < 4; i++) argument[count++] = (char *)files[i];
    argument[count] = NULL;
    w->process = (struct process){.program = tool->program,
                                  .argument = argument,
                                  .log = w->b.log,
                                  .out = w->b.library,
                                  .log_bytes = LOG_BYTES,
                                  .out_bytes = COMPILE_KEPT_BYTES,
                                  .seconds = seconds_for(w->source, l),
                                  .stop = l->stop};
    int failed = compile_process_start(&w->process);
    w->process.program = NULL, w->process.argument = NULL; /* which end here */
    return failed;
}

/* The first line in which the compiler says what is wrong. */
static void read_log(const char *path, const char *language, char *message, size_t capacity) {
    char line[256], first[256] = "";
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (!first[0] || strstr(line, "error")) memcpy(first, line, sizeof first);
        if (strstr(line, "error")) break;
    }
    if (file) fclose(file);
    for (char *c = first; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
    text_set(message, capacity, "The %s compiler failed: %s", language,
             first[0] ? first : "it gave no reason.");
}

/* Why there is no library. */
static void tell_end(enum process_end end, const struct compile_work *w, char *message, size_t capacity) {
    const char *language = w->limits.device ? "CUDA" : "C";
    if (end == PROCESS_LATE)
        text_set(message, capacity, "The %s compiler was not done within %.3g s, and was ended.", language,
                 w->process.seconds);
    else if (end == PROCESS_LARGE)
        text_set(message, capacity, "The %s compiler wrote more than %d MB, and was ended.", language,
                 (COMPILE_KEPT_BYTES + LOG_BYTES) >> 20);
    else if (end == PROCESS_STOPPED)
        text_set(message, capacity, "Stopped while the %s compiler was at work.", language);
    else read_log(w->b.log, language, message, capacity);
}

static void *load(const char *library, char *message, size_t capacity) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle) return handle;
    const char *reason = dlerror();
    text_set(message, capacity, "The compiled model cannot be loaded: %s.",
             reason ? reason : "no reason given");
    return NULL;
}

/* Loads what the compiler has made, then puts it in place by one rename: two processes at once both succeed,
 * and what another removes from the cache is loaded already. */
static enum compile_status take(struct compile_work *w, enum process_end end, void **handle, char *message,
                                size_t capacity) {
    const char *library = w->b.library;
    if (end != PROCESS_DONE) tell_end(end, w, message, capacity);
    else if (compile_cache_seal(library, w->source))
        text_set(message, capacity, "%s cannot be written: %s.", library, strerror(errno));
    else if ((*handle = load(library, message, capacity)) != NULL && rename(library, w->target) == 0)
        compile_trim(w->cache, COMPILE_KEPT_FILES, COMPILE_KEPT_BYTES);
    return *handle ? COMPILE_READY : COMPILE_FAILED;
}

static void work_close(struct compile_unit *u) {
    if (u->work) build_close(&u->work->b);
    free(u->work);
    u->work = NULL;
}

/* Once more after a failure, where that may have been for an option.  1: the compiler is at work. */
static int start_plainly(struct compile_work *w) {
    struct compile_tool tool;
    char message[TEXT_SENTENCE];
    if (w->plainly || !(is_straight(w->source) || is_waiting(w->source))) return 0;
    w->plainly = 1;
    return find_tool(w->limits.device, &tool, message, sizeof message) == COMPILE_READY &&
           start_compiler(&tool, w) == 0;
}

static enum compile_status begin_work(const struct compile_tool *tool, struct compile_work *w, char *message,
                                      size_t capacity) {
    if (build_open(&w->b, w->cache)) {
        text_set(message, capacity, "Nothing can be written to %s: %s.", w->cache, strerror(errno));
        w->b.directory[0] = '\0';
        return COMPILE_FAILED;
    }
    if (write_source(w->b.source, w->source)) {
        text_set(message, capacity, "%s cannot be written.", w->b.source);
        return COMPILE_FAILED;
    }
    if (start_compiler(tool, w) == 0) return COMPILE_BUSY;
    tell_end(PROCESS_FAILED, w, message, capacity);
    return COMPILE_FAILED;
}

enum compile_status compile_begin(const char *source, const struct compile_limits *l,
                                  struct compile_unit *out, char *message, size_t capacity) {
    static const struct compile_limits usual;
    struct compile_tool tool;
    char cache[COMPILE_PATH], key[33];
    *out = (struct compile_unit){0};
    if (!l) l = &usual;
    enum compile_status status = find_tool(l->device, &tool, message, capacity);
    if (status == COMPILE_READY) status = compile_cache_directory(cache, message, capacity);
    if (status != COMPILE_READY) return status;
    struct compile_work *w = out->work = calloc(1, sizeof *w);
    if (!w) {
        text_set(message, capacity, "There is not enough memory for the C compiler.");
        return COMPILE_FAILED;
    }
    compile_cache_key(&tool, flags_here(l, source), source, key);
    w->source = source;
    w->limits = *l;
    memcpy(w->cache, cache, sizeof cache);
    snprintf(w->target, sizeof w->target, "%s/%s.so", cache, key);
    if (compile_cache_whole(w->target, source)) {
        compile_trim_touch(w->target);
        out->handle = load(w->target, message, capacity); /* NULL: another process has just removed it */
        out->cached = out->handle != NULL;
    }
    if (out->cached) status = COMPILE_READY;
    else if (!l->cached) status = begin_work(&tool, w, message, capacity);
    else {
        text_set(message, capacity, "It is not in the cache.");
        status = COMPILE_FAILED;
    }
    if (status != COMPILE_BUSY) work_close(out);
    return status;
}

enum compile_status compile_end(struct compile_unit *u, int wait, char *message, size_t capacity) {
    enum process_end end = compile_process_end(&u->work->process, wait);
    while (end == PROCESS_FAILED && start_plainly(u->work))
        end = compile_process_end(&u->work->process, wait);
    if (end == PROCESS_BUSY) return COMPILE_BUSY;
    enum compile_status status = take(u->work, end, &u->handle, message, capacity);
    work_close(u);
    return status;
}

enum compile_status compile_load(const char *source, const struct compile_limits *l, struct compile_unit *out,
                                 char *message, size_t capacity) {
    enum compile_status status = compile_begin(source, l, out, message, capacity);
    return status == COMPILE_BUSY ? compile_end(out, 1, message, capacity) : status;
}

/* POSIX lets dlsym's pointer stand for a function; C knows no such cast, so the bits are copied.  The
 * caller converts to the type of what it asked for; NULL: there is none. */
typedef void any_function(void);
static any_function *find_symbol(const struct compile_unit *u, const char *head, const char *name) {
    char symbol[64];
    int fits = snprintf(symbol, sizeof symbol, "%s%s", head, name) < (int)sizeof symbol;
    for (const keel_linked *one = u->linked; one && one->name && fits; one++)
        if (strcmp(one->name, symbol) == 0) return one->function;
    void *address = u->handle && fits ? dlsym(u->handle, symbol) : NULL;
    any_function *function;
    memcpy(&function, &address, sizeof address);
    return function;
}

keel_fn *compile_function(const struct compile_unit *u, const char *name) {
    return (keel_fn *)find_symbol(u, "model_", name);
}

keel_kernel_fixed *compile_fixed(const struct compile_unit *u, const char *name) {
    return (keel_kernel_fixed *)find_symbol(u, "fixed_", name);
}

keel_kernel_steps *compile_kept(const struct compile_unit *u, const char *name) {
    return (keel_kernel_steps *)find_symbol(u, "kept_", name);
}

keel_kernel_samples *compile_samples(const struct compile_unit *u, const char *name) {
    return (keel_kernel_samples *)find_symbol(u, "samples_", name);
}

keel_kernel_lanes *compile_plain_lanes(const struct compile_unit *u, const char *name) {
    return (keel_kernel_lanes *)find_symbol(u, "plain_lanes_", name);
}

keel_kernel_beside *compile_beside(const struct compile_unit *u, const char *name) {
    return (keel_kernel_beside *)find_symbol(u, "beside_", name);
}

keel_kernel_lanes *compile_kept_lanes(const struct compile_unit *u, const char *name) {
    return (keel_kernel_lanes *)find_symbol(u, "kept_lanes_", name);
}

/* The three functions as the unit has them; their types are those of keel_device. */
int compile_device(const struct compile_unit *u, keel_device *out) {
    any_function *open = find_symbol(u, "device_", "open"), *close = find_symbol(u, "device_", "close");
    any_function *steps = find_symbol(u, "device_", "steps");
    *out = (keel_device){0};
    if (!open || !close || !steps) return 0;
    memcpy(&out->open, &open, sizeof open);
    memcpy(&out->close, &close, sizeof close);
    memcpy(&out->steps, &steps, sizeof steps);
    return 1;
}

keel_series_fn *compile_series(const struct compile_unit *u, const char *name) {
    return (keel_series_fn *)find_symbol(u, "series_", name);
}

keel_mechanics_rhs *compile_accelerations(const struct compile_unit *u, const char *name) {
    return (keel_mechanics_rhs *)find_symbol(u, "accelerations_", name);
}

keel_mechanics_elimination *compile_elimination(const struct compile_unit *u, const char *name) {
    return (keel_mechanics_elimination *)find_symbol(u, "elimination_", name);
}

keel_mechanics_stages *compile_stages(const struct compile_unit *u, const char *name) {
    return (keel_mechanics_stages *)find_symbol(u, "stages_", name);
}

keel_mechanics_restoration *compile_restoration(const struct compile_unit *u, const char *name) {
    return (keel_mechanics_restoration *)find_symbol(u, "restoration_", name);
}

keel_mechanics_project *compile_projection(const struct compile_unit *u, const char *name) {
    return (keel_mechanics_project *)find_symbol(u, "projection_", name);
}

keel_composed_fn *compile_composed(const struct compile_unit *u, const char *name) {
    return (keel_composed_fn *)find_symbol(u, "composed_", name);
}

void compile_close(struct compile_unit *u) {
    if (u->work) compile_process_kill(&u->work->process);
    work_close(u);
    if (u->handle) dlclose(u->handle);
    *u = (struct compile_unit){0};
}

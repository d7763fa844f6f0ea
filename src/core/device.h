/* device.h - runs on another processor: what goes there and back, and how a thread takes one run after the
 * other.  Text of compiled models alone (CUDA C++), behind core/lanes_steps.h and the sizes of the model:
 * DEVICE_STATES, DEVICE_ROWS (at least 1) and DEVICE_PARAMETERS.
 *
 * A thread whose run stops takes the next one that nobody has taken, so that all threads of a warp work as
 * long as there are runs.  What a run comes to depends on nothing but itself. */
#ifndef KEEL_CORE_DEVICE_H
#define KEEL_CORE_DEVICE_H

/* A run, as it travels: the numbers of its solver, and copies of what they point to. */
struct device_run {
    struct keel_kernel_state k;
    long taken;
    double x[DEVICE_STATES], f[DEVICE_STATES], atol[DEVICE_STATES], largest[DEVICE_STATES];
    double inverse_weight[DEVICE_STATES], least[DEVICE_STATES], spread[DEVICE_STATES * DEVICE_STATES];
    double reference[DEVICE_ROWS], size[DEVICE_ROWS], residual[DEVICE_ROWS], worst[DEVICE_ROWS];
    double beyond[DEVICE_ROWS], share[DEVICE_ROWS], drift[DEVICE_ROWS], units[DEVICE_ROWS];
    double parameter[DEVICE_PARAMETERS];
};

/* The solver's numbers of a run that has arrived.  They stay where they are: copies would take registers that
 * the steps need. */
static DEVICE struct keel_kernel_state *device_take(struct device_run *run) {
    struct keel_kernel_state *k = &run->k;
    k->x = run->x, k->f = run->f, k->atol = run->atol, k->largest = run->largest;
    k->inverse_weight = run->inverse_weight, k->least = run->least, k->spread = run->spread;
    k->reference = run->reference, k->size = run->size, k->residual = run->residual, k->worst = run->worst;
    k->beyond = run->beyond, k->drift = run->drift, k->units = run->units;
    k->share = k->share ? run->share : 0;
    return k;
}

/* By the host -------------------------------------------------------------------------------------------- */

static void device_copy(int count, const double *from, double *to) {
    for (int i = 0; i < count && from; i++) to[i] = from[i];
}

/* rows: that are measured; 0: neither these nor weights and tolerances matter. */
static void device_pack(struct device_run *run, const struct keel_kernel_state *k, const double *parameter) {
    int n = DEVICE_STATES, rows = k->treatment == KERNEL_FREE ? 0 : DEVICE_ROWS;
    run->k = *k;
    device_copy(n, k->x, run->x);
    device_copy(n, k->f, run->f);
    device_copy(n, k->atol, run->atol);
    device_copy(DEVICE_PARAMETERS, parameter, run->parameter);
    if (!rows) return;
    device_copy(n, k->largest, run->largest);
    device_copy(n, k->inverse_weight, run->inverse_weight);
    device_copy(n, k->least, run->least);
    if (k->weighs) device_copy(n * n, k->spread, run->spread);
    device_copy(rows, k->reference, run->reference);
    device_copy(rows, k->size, run->size);
    device_copy(rows, k->residual, run->residual);
    device_copy(rows, k->worst, run->worst);
    device_copy(rows, k->beyond, run->beyond);
    device_copy(rows, k->share, run->share);
    device_copy(rows, k->drift, run->drift);
    device_copy(rows, k->units, run->units);
}

/* What has changed.  The pointers are the host's own. */
static long device_unpack(const struct device_run *run, struct keel_kernel_state *k) {
    int n = DEVICE_STATES, rows = k->treatment == KERNEL_FREE ? 0 : DEVICE_ROWS;
    const struct keel_kernel_state *back = &run->k;
    k->t = back->t, k->steps = back->steps, k->h_next = back->h_next, k->error_before = back->error_before;
    k->moved = back->moved, k->moved_t = back->moved_t, k->moved_state = back->moved_state;
    k->corrections = back->corrections, k->newton = back->newton;
    k->factorizations = back->factorizations, k->jacobians = back->jacobians;
    k->calls = back->calls, k->rejected = back->rejected, k->verifications = back->verifications;
    k->unseen = back->unseen, k->due = back->due, k->outgrown = back->outgrown, k->held = 0;
    if (k->treatment == KERNEL_KEPT) {
        device_copy(rows, run->size, k->size);
        device_copy(rows, run->worst, k->worst);
        device_copy(rows, run->drift, k->drift);
        device_copy(rows, run->units, k->units);
    }
    if (run->taken == 0) return 0;
    device_copy(n, run->x, k->x);
    device_copy(n, run->f, k->f);
    if (!rows) return run->taken;
    device_copy(n, run->largest, k->largest);
    device_copy(rows, run->residual, k->residual);
    device_copy(rows, run->worst, k->worst);
    if (k->treatment == KERNEL_KEPT) device_copy(n, run->inverse_weight, k->inverse_weight);
    return run->taken;
}

enum { DEVICE_THREADS = 128 }; /* of a block */

enum { DEVICE_APART, DEVICE_PACK, DEVICE_THERE, DEVICE_KERNEL, DEVICE_BACK, DEVICE_UNPACK, DEVICE_STAGES };

/* Of one thread of the host. */
struct device_queue {
    cudaStream_t stream;
    struct device_run *here, *there;
    int *next; /* run that nobody has taken */
    int capacity;
    double spent[DEVICE_STAGES], last; /* seconds, with -DDEVICE_TIMES; when the last stage ended */
    long launches, runs;
};

/* With -DDEVICE_TIMES (bench/gpu) each stage is waited for, and what it took is printed in the end. */
#ifdef DEVICE_TIMES
static void device_clock(struct device_queue *q, int stage) {
    struct timespec now;
    if (stage != DEVICE_PACK && stage != DEVICE_UNPACK) cudaStreamSynchronize(q->stream);
    clock_gettime(CLOCK_MONOTONIC, &now);
    double t = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (stage != DEVICE_APART || q->last > 0) q->spent[stage] += t - q->last;
    q->last = t;
}
static void device_print(const struct device_queue *q) {
    fprintf(stderr, "queue launches %ld runs %ld", q->launches, q->runs);
    fprintf(stderr, " apart %.6f pack %.6f there %.6f", q->spent[0], q->spent[1], q->spent[2]);
    fprintf(stderr, " kernel %.6f back %.6f unpack %.6f\n", q->spent[3], q->spent[4], q->spent[5]);
}
#else
#define device_clock(q, stage) (void)0
#define device_print(q) (void)0
#endif

typedef void device_kernel(struct device_run *run, int count, int *next);

static int device_failed(cudaError_t error, const char *what, char *message, size_t capacity) {
    if (error == cudaSuccess) return 0;
    snprintf(message, capacity, "the GPU %s: %s", what, cudaGetErrorString(error));
    return 1;
}

extern "C" void device_close(void *queue) {
    struct device_queue *q = (struct device_queue *)queue;
    if (!q) return;
    device_print(q);
    if (q->stream) cudaStreamDestroy(q->stream);
    cudaFreeHost(q->here);
    cudaFree(q->there);
    cudaFree(q->next);
    free(q);
}

/* Room for so many runs; NULL, with a sentence. */
extern "C" void *device_open(int runs, char *message, size_t capacity) {
    struct device_queue *q = (struct device_queue *)calloc(1, sizeof *q);
    size_t bytes = (size_t)runs * sizeof *q->here;
    int devices = 0;
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);     /* queues do not wait for each other */
    cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync); /* an error comes up again below */
    cudaGetLastError();
    if (!q) snprintf(message, capacity, "there is not enough memory");
    if (!q) return NULL;
    if (!device_failed(cudaGetDeviceCount(&devices), "cannot be used", message, capacity) &&
        !device_failed(cudaStreamCreateWithFlags(&q->stream, cudaStreamNonBlocking), "cannot be used",
                       message, capacity) &&
        !device_failed(cudaMallocHost((void **)&q->here, bytes), "has no memory", message, capacity) &&
        !device_failed(cudaMalloc((void **)&q->there, bytes), "has no memory", message, capacity) &&
        !device_failed(cudaMalloc((void **)&q->next, sizeof *q->next), "has no memory", message, capacity)) {
        q->capacity = runs;
        return q;
    }
    device_close(q);
    return NULL;
}

/* Fixed steps are as many for every run: a thread for each.  Else for half of them: threads whose runs are
 * short take others. */
static int device_blocks(int count, int adaptive) {
    int threads = !adaptive || count < 2048 ? count : (count + 1) / 2;
    return (threads + DEVICE_THREADS - 1) / DEVICE_THREADS;
}

/* How much of the memory beside the registers is shared, and how much a cache: as much as all blocks want
 * that registers have room for.  A wish; whatever comes of it, the results are the same. */
static void device_share(device_kernel *kernel) {
    struct cudaFuncAttributes own;
    int blocks = 0, all = 0, device = 0;
    if (cudaFuncGetAttributes(&own, (const void *)kernel) != cudaSuccess || own.sharedSizeBytes == 0) return;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, DEVICE_THREADS, 0);
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    size_t wanted = (size_t)blocks * (own.sharedSizeBytes + 1024); /* 1 kB of each block for itself */
    size_t percent = all > 0 ? (100 * wanted + (size_t)all - 1) / (size_t)all : 100;
    cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                         percent < 100 ? (int)percent : 100);
    cudaGetLastError();
}

static int device_go(struct device_queue *q, device_kernel *kernel, int adaptive, int count,
                     struct keel_kernel_state *const *state, void *const *user, long *taken, char *message,
                     size_t capacity) {
    size_t bytes = (size_t)count * sizeof *q->here;
    q->launches++, q->runs += count;
    device_clock(q, DEVICE_APART);
    for (int i = 0; i < count; i++) device_pack(&q->here[i], state[i], *(const double *const *)user[i]);
    device_clock(q, DEVICE_PACK);
    if (device_failed(cudaMemcpyAsync(q->there, q->here, bytes, cudaMemcpyHostToDevice, q->stream),
                      "takes no data", message, capacity) ||
        device_failed(cudaMemsetAsync(q->next, 0, sizeof *q->next, q->stream), "takes no data", message,
                      capacity))
        return 1;
    device_clock(q, DEVICE_THERE);
    device_share(kernel);
    DEVICE_LAUNCH(kernel, device_blocks(count, adaptive), DEVICE_THREADS, q->stream, q->there, count,
                  q->next);
    device_clock(q, DEVICE_KERNEL);
    if (device_failed(cudaGetLastError(), "does not start the kernel", message, capacity) ||
        device_failed(cudaMemcpyAsync(q->here, q->there, bytes, cudaMemcpyDeviceToHost, q->stream),
                      "failed in the kernel", message, capacity) ||
        device_failed(cudaStreamSynchronize(q->stream), "failed in the kernel", message, capacity))
        return 1;
    device_clock(q, DEVICE_BACK);
    for (int i = 0; i < count; i++) taken[i] = device_unpack(&q->here[i], state[i]);
    device_clock(q, DEVICE_UNPACK);
    return 0;
}
#endif

/* cuda.h - as much of CUDA as the kernels of models need, on one core: threads of a grid run one after the
 * other, so that what a kernel takes, leaves and writes can be tested, under sanitizers, too. */
#ifndef KEEL_TESTS_CUDA_H
#define KEEL_TESTS_CUDA_H

#include <stdlib.h>
#include <string.h>

#define __device__
#define __global__ static
#define __forceinline__ __inline__
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(threads, blocks)
#define __builtin_assume(truth)
#define __shared__
static const struct { int x; } threadIdx = {0};
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

typedef int cudaError_t;
typedef void *cudaStream_t;
enum { cudaSuccess, cudaErrorMemoryAllocation };
enum {
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaStreamNonBlocking,
    cudaDeviceScheduleBlockingSync,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaFuncAttributePreferredSharedMemoryCarveout
};

static inline int atomicAdd(int *at, int more) {
    int before = *at;
    *at += more;
    return before;
}
static inline const char *cudaGetErrorString(cudaError_t error) {
    return error ? "out of memory" : "no error";
}
static inline cudaError_t cudaGetLastError(void) {
    return cudaSuccess;
}
static inline cudaError_t cudaSetDeviceFlags(int) {
    return cudaSuccess;
}
static inline cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return getenv("KEEL_TEST_NO_GPU") ? cudaErrorMemoryAllocation : cudaSuccess;
}
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, int) {
    *stream = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t) {
    return cudaSuccess;
}
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaSuccess;
}
static inline cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetAttribute(int *value, int, int) {
    *value = 233472;
    return cudaSuccess;
}
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
};
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *own, const void *) {
    own->sharedSizeBytes = 37888;
    return cudaSuccess;
}
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T, int, size_t) {
    *blocks = 3;
    return cudaSuccess;
}
static inline cudaError_t cudaFuncSetAttribute(const void *, int what, int share) {
    if (what != cudaFuncAttributePreferredSharedMemoryCarveout || share != 50) abort();
    return cudaSuccess;
}
static inline cudaError_t cudaMalloc(void **to, size_t bytes) {
    return (*to = malloc(bytes)) ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t cudaMallocHost(void **to, size_t bytes) {
    return cudaMalloc(to, bytes);
}
static inline cudaError_t cudaFree(void *memory) {
    free(memory);
    return cudaSuccess;
}
static inline cudaError_t cudaFreeHost(void *memory) {
    return cudaFree(memory);
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int, cudaStream_t) {
    memcpy(to, from, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) {
    memset(to, value, bytes);
    return cudaSuccess;
}

#define DEVICE_LAUNCH(kernel, blocks, threads, stream, ...) \
    for (int thread = 0; thread < (blocks) * (threads); thread++) kernel(__VA_ARGS__)
#endif

/* mutate_checkpoint.c - one more change of a checkpoint (recipe.h), with values that like to make trouble. */
#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(unsigned char *data, size_t size, size_t capacity);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t capacity, unsigned seed);

static unsigned below(unsigned *state, unsigned bound) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % bound;
}

static int write_line(char *line, size_t capacity, unsigned *state) {
    static const char *const parts[] = {"file", "about", "sim", "solver", "block", "block", "sim", "rows"};
    static const char *const kinds[][6] = {
        {"byte", "0", "1", "ff", "7f", "80"},
        {"int", "0", "1", "ffffffff", "7fffffff", "80000000"},
        {"long", "0", "1", "ffffffffffffffff", "7fffffffffffffff", "100000000"},
        {"double", "nan", "inf", "1e308", "1e-308", "-1"},
        {"xor", "1", "80", "10", "ff", "4"}};
    static const char *const settings[] = {"model", "method", "steps", "cut", "cutrows"};
    if (below(state, 6) == 0)
        return snprintf(line, capacity, "%s %u\n", settings[below(state, 5)], below(state, 12));
    const char *const *kind = kinds[below(state, 5)];
    unsigned at = below(state, below(state, 3) ? 200 : 4000);
    if (below(state, 2)) at -= at % 8;
    return snprintf(line, capacity, "%s %u %s %s\n", parts[below(state, 8)], at, kind[0],
                    kind[1 + below(state, 5)]);
}

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t capacity, unsigned seed) {
    unsigned state = seed;
    char line[80];
    if (below(&state, 3) == 0) return LLVMFuzzerMutate(data, size, capacity);
    size_t length = (size_t)write_line(line, sizeof line, &state), from = below(&state, (unsigned)size + 1);
    while (from > 0 && from < size && data[from - 1] != '\n') from--;
    if (from == size && size && data[size - 1] != '\n') from = 0;
    size_t to = from;
    while (below(&state, 2) && to < size)
        for (to += to < size; to < size && data[to - 1] != '\n';) to++;
    if (size - (to - from) + length > capacity) return size;
    memmove(data + from + length, data + to, size - to);
    memcpy(data + from, line, length);
    return size - (to - from) + length;
}

/* replay.c - a fuzz target on the files that are given as arguments: sound ones and what once went wrong. */
#include "fuzz.h"

#include <stdio.h>

enum { LARGEST = 1 << 20 };

int main(int count, char **paths) {
    static unsigned char text[LARGEST];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");
        if (!file) {
            fprintf(stderr, "replay: %s cannot be read\n", paths[i]);
            return 1;
        }
        printf("%s\n", paths[i]);
        fflush(stdout);
        LLVMFuzzerTestOneInput(text, fread(text, 1, sizeof text, file));
        fclose(file);
    }
    return count < 2;
}

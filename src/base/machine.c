/* machine.c - see machine.h. */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */
#include "base/machine.h"

#include <math.h>
#include <unistd.h>

double machine_memory(void) {
#ifdef _SC_PHYS_PAGES
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes > 0) return bytes;
#endif
    return HUGE_VAL;
}

int machine_cores(void) {
#ifdef _SC_NPROCESSORS_ONLN
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 4096 ? 4096 : (int)count;
#else
    return 1;
#endif
}

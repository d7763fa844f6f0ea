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

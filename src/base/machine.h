/* machine.h - what the machine has. */
#ifndef KEEL_BASE_MACHINE_H
#define KEEL_BASE_MACHINE_H

double machine_memory(void); /* bytes; infinite where it cannot be told */
int machine_cores(void);     /* 1 where it cannot be told */
#endif

/* all.c - the courses in the order of the table. */
#include "courses/course.h"

int course_at(int i, struct course *c) {
    switch (i) {
    case 0:
        course_rigid_body(c);
        return 1;
    case 1:
        course_kepler_steps(c);
        return 1;
    case 2:
        course_kepler(c, 25);
        return 1;
    case 3:
        course_kepler(c, 1000);
        return 1;
    case 4:
        course_henon_heiles(c);
        return 1;
    case 5:
        course_pendulum(c, 10.3);
        return 1;
    case 6:
        course_pendulum(c, 1000.3);
        return 1;
    case 7:
        course_andrews(c);
        return 1;
    }
    return 0;
}

/* projection.c - a state is moved by the smallest weighted change, so many times or until rows hold; or not.
 *
 * Rows of data: the change itself is that of Newton for 0 = c(t, x), dx = -D (G D)^-1 c, D = W^-1 G^T
 * (core/manifold).
 * E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), IV.4. */
#include <keel/stabilizer.h>

const keel_stabilizer projection_stabilizers[] = {
    {.info = {.name = "none", .about = "nothing is held, and nothing is measured", .reference = "-"}},
    {.info = {.name = "watch",
              .about = "nothing is held; the certificate tells how far rows drift",
              .reference = "-",
              .traits = KEEL_MEASURES}},
    {.info = {.name = "post",
              .about = "one correction after the step, by the first kept row",
              .reference = "Ascher, Chin, Reich, Numer. Math. 67 (1994) 131",
              .traits = KEEL_MEASURES | KEEL_CORRECTS | KEEL_FIRST_ROW},
     .corrections = 1},
    {.info = {.name = "adjust",
              .about = "one correction after the step, by all kept rows",
              .reference = "Nacozy, Astrophys. Space Sci. 14 (1971) 40",
              .traits = KEEL_MEASURES | KEEL_CORRECTS},
     .corrections = 1},
    {.info = {.name = "project",
              .about = "corrected until every kept row is at round-off",
              .reference = "Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), IV.4",
              .traits = KEEL_MEASURES | KEEL_CORRECTS | KEEL_TO_ROUND_OFF | KEEL_DEFAULT}},
    {.info = {0}}};

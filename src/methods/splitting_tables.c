/* splitting_tables.c - see splitting_tables.h. */
#include "methods/splitting_tables.h"

#include <stddef.h>

/* McLachlan and Atela 1992. */
static const double mclachlan_atela4_kicks[] = {0.1344961992774310892, -0.2248198030794208058,
                                                0.7563200005156682911, 0.3340036032863214255, 0};
static const double mclachlan_atela4_drifts[] = {0.5153528374311229364, -0.0857820194129736460,
                                                 0.4415830236164665242, 0.1288461583653841854};

/* Blanes and Moan 2002: S6 and S10 of table 2. */
static const double blanes_moan4_kicks[] = {0.0792036964311957, 0.353172906049774,   -0.0420650803577195,
                                            0.2193769557534996, -0.0420650803577195, 0.353172906049774,
                                            0.0792036964311957};
static const double blanes_moan4_drifts[] = {0.209515106613362, -0.143851773179818, 0.434336666566456,
                                             0.434336666566456, -0.143851773179818, 0.209515106613362};
static const double blanes_moan6_kicks[] = {0.0502627644003922, 0.413514300428344,  0.0450798897943977,
                                            -0.188054853819569, 0.541960678450780,  -0.7255255585086898,
                                            0.541960678450780,  -0.188054853819569, 0.0450798897943977,
                                            0.413514300428344,  0.0502627644003922};
static const double blanes_moan6_drifts[] = {
    0.148816447901042,  -0.132385865767784, 0.067307604692185, 0.432666402578175,  -0.016404589403618,
    -0.016404589403618, 0.432666402578175,  0.067307604692185, -0.132385865767784, 0.148816447901042};
static const double once[] = {1, 0};

const struct splitting_table splitting_euler_kick = {1, NULL, once, once, 0, 0},
                             splitting_euler_drift = {1, NULL, once, once, 1, 0};
const struct splitting_table splitting_verlet = {1, &composition_single, NULL, NULL, 0, 0};
const struct splitting_table splitting_verlet_drift = {1, &composition_single, NULL, NULL, 1, 0};
const struct splitting_table splitting_forest_ruth = {3, &composition_yoshida4, NULL, NULL, 1, 0};
const struct splitting_table splitting_yoshida4 = {3, &composition_yoshida4, NULL, NULL, 0, 0};
const struct splitting_table splitting_yoshida6 = {7, &composition_yoshida6, NULL, NULL, 0, 0};
const struct splitting_table splitting_kahan_li6 = {9, &composition_kahan_li6, NULL, NULL, 0, 0};
const struct splitting_table splitting_yoshida8 = {15, &composition_yoshida8, NULL, NULL, 0, 0};
const struct splitting_table splitting_kahan_li8 = {17, &composition_kahan_li8, NULL, NULL, 0, 0};
const struct splitting_table splitting_mclachlan_atela4 = {
    4, NULL, mclachlan_atela4_kicks, mclachlan_atela4_drifts, 0, 1};
const struct splitting_table splitting_blanes_moan4 = {6, NULL, blanes_moan4_kicks, blanes_moan4_drifts,
                                                       0, 0};
const struct splitting_table splitting_blanes_moan6 = {10, NULL, blanes_moan6_kicks, blanes_moan6_drifts,
                                                       0,  0};

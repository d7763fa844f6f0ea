/* test_mechanisms.c - mechanisms of body2d and body3d against models of another kind for the same machine:
 * minimal coordinates, written by hand. */
#include "testing.h"

#include "model_run.h"

static const struct mechanism {
    const char *what, *parts, *column, *by_hand, *other;
    double t_end;
} mechanisms[] = {
    {"double pendulum of bodies and hinges",
     "library body2d\nuse Body a(1, 1/12), b(2, 2*.25/12)\n"
     "use Hinge top(ground, (0, 0), a, (0, .5)), middle(a, (0, -.5), b, (0, .25))\n"
     "init a.phi = 1, b.phi = 2, a.phi' = 0, b.phi' = 0\nguess a.r = (.4, -.3), b.r = (1, -.5)\n"
     "invariant energy\nrun 0 .. 3\n",
     "b.phi",
     "coord p, q\nlet a = (sin(p)/2, -cos(p)/2), b = (sin(p) + sin(q)/4, -cos(p) - cos(q)/4)\n"
     "lagrangian dot(a', a')/2 + p'^2/24 - 9.81*a[2] + dot(b', b') + .5*q'^2/24 - 2*9.81*b[2]\n"
     "init p = 1, q = 2, p' = 0, q' = 0\ninvariant energy\nrun 0 .. 3\n",
     "q", 3},
    {"slider-crank",
     "library body2d\nuse Body crank(m = 1, J = .01), rod(m = .5, J = .05), piston(m = 2, J = 1)\n"
     "use Hinge shaft(ground, (0, 0), crank, (-.1, 0)), pin(crank, (.1, 0), rod, (-.4, 0))\n"
     "use Hinge wrist(rod, (.4, 0), piston, (0, 0))\n"
     "use Slider rail(ground, (0, 0), (1, 0), piston, (0, 0))\ninit crank.phi = .3, crank.phi' = 10\n"
     "guess crank.r = (.1, 0), rod.r = (.6, 0), piston.r = (1, 0)\ninvariant energy\nrun 0 .. 2\n",
     "piston.r[1]",
     "coord p\nlet b = -asin(.2*sin(p)/.8), s = .2*cos(p) + .8*cos(b)\n"
     "let c = (.1*cos(p), .1*sin(p)), d = (.2*cos(p) + .4*cos(b), .2*sin(p) + .4*sin(b))\n"
     "lagrangian dot(c', c')/2 + .01*p'^2/2 + .25*dot(d', d') + .05*der(b)^2/2 + s'^2 - 9.81*(c[2] + "
     "d[2]/2)\n"
     "output s = s\ninit p = .3, p' = 10\ninvariant energy\nrun 0 .. 2\n",
     "s", 2},
    {"crane with a trolley",
     "library body2d\nuse Body trolley(m = 5, J = 1)\nuse Mass load(m = 2)\n"
     "use Slider rail(ground, (0, 0), (1, 0), trolley, (0, 0))\nuse Rod rope(trolley, (0, 0), load, (0, 0), "
     "3)\n"
     "use Push motor(trolley, (0, 0), (4*sin(t), 0))\n"
     "init trolley.r[1] = 0, trolley.r[1]' = 0, load.r[1] = 1, load.r[1]' = 0\nguess load.r[2] = -3\nrun 0 "
     ".. 4\n",
     "trolley.r[1]",
     "coord x, a\nlet p = (x + 3*sin(a), -3*cos(a))\nlagrangian 2.5*x'^2 + dot(p', p') - 2*9.81*p[2]\n"
     "force x: 4*sin(t)\ninit x = 0, x' = 0, a = asin(1/3), a' = 0\nrun 0 .. 4\n",
     "x", 4},
    {"spring, damper, torsion spring on two carts",
     "library body2d\nparam gravity = (0, 0)\nuse Body a(1, 1), b(2, 1)\n"
     "use Slider left(ground, (0, 0), (1, 0), a, (0, 0)), right(ground, (0, 0), (1, 0), b, (0, 0))\n"
     "use Spring k(a, (0, 0), b, (0, 0), 30, 1)\nuse Damper c(a, (0, 0), b, (0, 0), .4)\n"
     "use Spring wall(ground, (-1, 0), a, (0, 0), 10, 1)\n"
     "init a.r[1] = 0, a.r[1]' = 0, b.r[1] = 1.3, b.r[1]' = 0\nrun 0 .. 4\n",
     "b.r[1]",
     "coord x, y\nlagrangian x'^2/2 + y'^2 - 15*(y - x - 1)^2 - 5*x^2\nforce x: .4*(y' - x')\n"
     "force y: -.4*(y' - x')\ninit x = 0, x' = 0, y = 1.3, y' = 0\nrun 0 .. 4\n",
     "y", 4},
    {"four-bar in space, against the plane one",
     "library body3d\nparam gravity = (0, -9.81, 0), z = (0, 0, 1)\n"
     "use Body a(m = 1, J = (.001, .01, .01)), b(m = 2, J = (.02, .2, .2)), c(m = 1.5, J = (.01, .1, .1))\n"
     "use Hinge A(ground, (0, 0, 0), a, (-.25, 0, 0), z), B(a, (.25, 0, 0), b, (-.55, 0, 0), z)\n"
     "use Hinge C(b, (.55, 0, 0), c, (.45, 0, 0), z), D(ground, (1, 0, 0), c, (-.45, 0, 0), z)\n"
     "init a.q = (cos(.5), 0, 0, sin(.5)), a.q[4]' = 3*cos(.5)\n"
     "guess b.r = (.77, .64, 0), c.r = (1.14, .43, 0)\ninvariant energy\nrun 0 .. 2\n",
     "b.r[1]",
     "library body2d\nuse Body a(1, .01), b(2, .2), c(1.5, .1)\n"
     "use Hinge A(ground, (0, 0), a, (-.25, 0)), B(a, (.25, 0), b, (-.55, 0))\n"
     "use Hinge C(b, (.55, 0), c, (.45, 0)), D(ground, (1, 0), c, (-.45, 0))\n"
     "init a.phi = 1, a.phi' = 6\nguess a.r = (.13, .2), b.r = (.77, .64), b.phi = .4, c.r = (1.14, .43), "
     "c.phi = 1.2\n"
     "invariant energy\nrun 0 .. 2\n",
     "b.r[1]", 2},
    {"a top on a ball, against its angles",
     "library body3d\nuse Body top(m = 1, J = (.1, .1, .2))\n"
     "use Ball foot(ground, (0, 0, 0), top, (0, 0, -1))\n"
     "init top.q = (cos(.2), sin(.2), 0, 0), top.q[1]' = 0, top.q[2]' = 0, top.q[3]' = -10*sin(.2), "
     "top.q[4]' = "
     "10*cos(.2)\nguess top.r = (0, -.4, .9)\ninvariant energy\nrun 0 .. 2\n",
     "top.r[3]",
     "coord th, ph, ps\nlet w = ps' + ph'*cos(th)\n"
     "lagrangian 1.1*(th'^2 + ph'^2*sin(th)^2)/2 + .2*w^2/2 - 9.81*cos(th)\noutput z = cos(th)\n"
     "init th = .4, ph = 0, ps = 0, th' = 0, ph' = 0, ps' = 20\ninvariant energy\nrun 0 .. 2\n",
     "z", 2},
    {"a cardan shaft, with a surplus joint",
     "library body3d\nparam gravity = (0, 0, 0), beta = .6\nuse Body a(1, (.3, .1, .1)), b(1, (.2, .1, .1))\n"
     "use Hinge one(ground, (-1, 0, 0), a, (-1, 0, 0), (1, 0, 0))\n"
     "use Hinge two(ground, (cos(beta), sin(beta), 0), b, (1, 0, 0), (cos(beta), sin(beta), 0), (1, 0, 0))\n"
     "use Universal spider(a, (0, 0, 0), b, (0, 0, 0), (0, 0, 1), (0, 1, 0))\n"
     "init a.q[2] = 0, a.q[2]' = 1\nguess b.q = (cos(.3), 0, 0, sin(.3))\ninvariant energy\nrun 0 .. 2\n",
     "a.q[2]",
     "param beta = .6\ncoord p\nlet w = p'*cos(beta)/(cos(p)^2 + cos(beta)^2*sin(p)^2)\n"
     "lagrangian .3*p'^2/2 + .2*w^2/2\noutput q = sin(p/2)\ninit p = 0, p' = 2\ninvariant energy\nrun 0 .. "
     "2\n",
     "q", 2},
    {"Watt's linkage",
     "library body2d\nuse Body l(1, .1), m(.5, .02), r(1, .1)\n"
     "use Hinge A(ground, (-1, .3), l, (-.5, 0)), B(l, (.5, 0), m, (0, .3)), C(m, (0, -.3), r, (-.5, 0))\n"
     "use Hinge D(r, (.5, 0), ground, (1, -.3))\ninit l.phi = .2, l.phi' = 0\n"
     "guess l.r = (-.5, .4), m.r = (0, .2), r.r = (.5, -.2), r.phi = -.2\ninvariant energy\nrun 0 .. 2\n",
     "m.r[2]",
     "coord a, b, c\nlet p = (-1 + cos(a), .3 + sin(a)), q = p + .6*(sin(b), -cos(b)), o = (p + q)/2\n"
     "let u = (-1 + cos(a)/2, .3 + sin(a)/2), v = (1 - cos(c)/2, -.3 - sin(c)/2)\n"
     "lagrangian dot(u', u')/2 + dot(v', v')/2 + dot(o', o')/4 + .1*(a'^2 + c'^2)/2 + .01*b'^2\n"
     "    - 9.81*(u[2] + v[2] + o[2]/2)\nconstraint close: q = (1 - cos(c), -.3 - sin(c))\noutput y = o[2]\n"
     "init a = .2, a' = 0\nguess b = 0, c = -.2\ninvariant energy\nrun 0 .. 2\n",
     "y", 2},
    {"an arm of three joints",
     "library body3d\nuse Body a(2, (.1, .1, .1)), b(1, (.05, .05, .05)), c(.5, (.02, .02, .02))\n"
     "use Hinge base(ground, (0, 0, 0), a, (0, 0, -.5), (0, 0, 1)), elbow(a, (0, 0, .5), b, (-.4, 0, 0), (0, "
     "1, 0))\n"
     "use Hinge wrist(b, (.4, 0, 0), c, (0, -.3, 0), (1, 0, 0))\n"
     "init a.q[4] = 0, b.q[3] = 0, c.q[2] = 0, a.q[4]' = .5, b.q[3]' = .2, c.q[2]' = 1\n"
     "guess a.r = (0, 0, .5), b.r = (.4, 0, 1), c.r = (.8, .3, 1)\ninvariant energy\nrun 0 .. 1\n",
     "c.r[3]",
     "coord p, q, s\nlet x(a, v) = (v[1], cos(a)*v[2] - sin(a)*v[3], sin(a)*v[2] + cos(a)*v[3])\n"
     "let y(a, v) = (cos(a)*v[1] + sin(a)*v[3], v[2], -sin(a)*v[1] + cos(a)*v[3])\n"
     "let z(a, v) = (cos(a)*v[1] - sin(a)*v[2], sin(a)*v[1] + cos(a)*v[2], v[3])\n"
     "let b = z(p, (0, 0, 1) + y(q, (.4, 0, 0))), c = z(p, (0, 0, 1) + y(q, (.8, 0, 0) + x(s, (0, .3, 0))))\n"
     "let v = (0, 0, p') + z(p, (0, q', 0)), w = v + z(p, y(q, (s', 0, 0)))\n"
     "lagrangian .1*p'^2/2 + dot(b', b')/2 + .05*dot(v, v)/2 + dot(c', c')/4 + .02*dot(w, w)/2\n"
     "    - 9.81*(b[3] + c[3]/2)\noutput h = c[3]\n"
     "init p = 0, q = 0, s = 0, p' = 1, q' = .4, s' = 2\ninvariant energy\nrun 0 .. 1\n",
     "h", 1},
    {"a gyroscope on a gimbal",
     "library body3d\nuse Body o(.5, (.1, .1, .1)), i(.3, (.05, .05, .05)), g(1, (.02, .08, .02))\n"
     "use Hinge post(ground, (0, 0, 0), o, (0, 0, 0), (0, 0, 1)), ring(o, (0, 0, 0), i, (0, 0, 0), (1, 0, "
     "0))\n"
     "use Hinge spin(i, (0, .2, 0), g, (0, 0, 0), (0, 1, 0))\n"
     "init o.q[4] = 0, i.q[2] = 0, g.q[3] = 0, o.q[4]' = .1, i.q[2]' = .2, g.q[3]' = 15\n"
     "guess g.r = (0, .2, 0)\ninvariant energy\nrun 0 .. 1\n",
     "g.r[3]",
     "coord p, q, s\nlet n = (-sin(p)*cos(q), cos(p)*cos(q), sin(q)), e = (cos(p), sin(p), 0), c = .2*n\n"
     "let v = (0, 0, p') + q'*e, w = v + s'*n\n"
     "lagrangian .1*p'^2/2 + .05*dot(v, v)/2 + .02*(dot(w, w) - dot(w, n)^2)/2 + .08*dot(w, n)^2/2\n"
     "    + dot(c', c')/2 - 9.81*c[3]\noutput h = c[3]\n"
     "init p = 0, q = 0, s = 0, p' = .2, q' = .4, s' = 30\ninvariant energy\nrun 0 .. 1\n",
     "h", 1},
};

static double end_of(const struct mechanism *one, int by_hand) {
    const char *text = by_hand ? one->by_hand : one->parts;
    keel_model *m = keel_model_read(one->what, text, strlen(text), &(keel_model_options){.interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-9});
    run_to(s, one->t_end);
    double value = value_of(s, by_hand ? one->other : one->column);
    keel_sim_close(s);
    keel_model_close(m);
    return value;
}

static void mechanisms_are_those_written_by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
        double parts = end_of(&mechanisms[i], 0), by_hand = end_of(&mechanisms[i], 1);
        if (!(fabs(parts - by_hand) <= 1e-6 * fmax(1, fabs(by_hand))))
            fail_msg("%s: %.12g by parts, %.12g by hand", mechanisms[i].what, parts, by_hand);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mechanisms_are_those_written_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// step_cost - what one step costs: a hand-written loop, keel, GSL and Boost.odeint with the same right-hand
// side through the same function pointer, in one run.  Times are the best of several interleaved rounds;
// ratios are to the first row of each group.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <boost/numeric/odeint.hpp>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

extern "C" {
#include "problems.h"
}

namespace {

struct row {
    std::string name;
    std::function<double(long)> run; // takes that many steps, returns a number that depends on the result
    double best = 1e300;
};

double seconds(const std::function<double(long)> &run, long steps) {
    using clock = std::chrono::steady_clock;
    auto begin = clock::now();
    volatile double keep = run(steps);
    (void)keep;
    return std::chrono::duration<double>(clock::now() - begin).count();
}

template <int n> double hand_rk4(const problem &p, double h, long steps) {
    keel_fn *f = p.keel.f.value;
    void *user = p.keel.user;
    double x[n], k1[n], k2[n], k3[n], k4[n], y[n];
    std::copy(p.u0, p.u0 + n, x);
    for (long s = 0; s < steps; s++) {
        double t = static_cast<double>(s) * h;
        if (f(t, x, k1, user)) return 0;
        for (int i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k1[i];
        if (f(t + 0.5 * h, y, k2, user)) return 0;
        for (int i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k2[i];
        if (f(t + 0.5 * h, y, k3, user)) return 0;
        for (int i = 0; i < n; i++) y[i] = x[i] + h * k3[i];
        if (f(t + h, y, k4, user)) return 0;
        for (int i = 0; i < n; i++) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    return x[0];
}

double keel_steps(const problem &p, const char *method, keel_preserve preserve, double h, long steps) {
    keel_options o = {};
    o.method = method;
    o.preserve = preserve;
    o.step = h;
    keel_solver *s = keel_open(&p.keel, &o);
    if (keel_run(s, static_cast<double>(steps) * h) < 0) {
        std::fprintf(stderr, "%s: %s\n", method, keel_message(s));
        std::exit(1);
    }
    double result = keel_state(s)[0];
    keel_close(s);
    return result;
}

struct gsl_bridge {
    const problem *p;
    static int rate(double t, const double y[], double f[], void *bridge) {
        const problem *p = static_cast<gsl_bridge *>(bridge)->p;
        return p->keel.f.value(t, y, f, p->keel.user) == 0 ? GSL_SUCCESS : GSL_FAILURE;
    }
};

double gsl_steps(const problem &p, const gsl_odeiv2_step_type *type, double h, long steps) {
    gsl_bridge bridge = {&p};
    gsl_odeiv2_system system = {gsl_bridge::rate, nullptr, static_cast<size_t>(p.keel.n), &bridge};
    gsl_odeiv2_step *step = gsl_odeiv2_step_alloc(type, system.dimension);
    std::vector<double> y(p.u0, p.u0 + p.keel.n), error(y.size()), in(y.size()), out(y.size());
    gsl_bridge::rate(0, y.data(), in.data(), &bridge);
    for (long s = 0; s < steps; s++) {
        gsl_odeiv2_step_apply(step, static_cast<double>(s) * h, h, y.data(), error.data(), in.data(),
                              out.data(), &system);
        in.swap(out);
    }
    gsl_odeiv2_step_free(step);
    return y[0];
}

template <class stepper, int n> double odeint_steps(const problem &p, double h, long steps) {
    using state = std::array<double, n>;
    state x;
    std::copy(p.u0, p.u0 + n, x.begin());
    stepper method;
    auto rate = [&p](const state &y, state &f, double t) {
        p.keel.f.value(t, y.data(), f.data(), p.keel.user);
    };
    for (long s = 0; s < steps; s++) method.do_step(rate, x, static_cast<double>(s) * h, h);
    return x[0];
}

void table(const char *title, std::vector<row> rows, long steps, int rounds) {
    for (int round = 0; round < rounds; round++)
        for (auto &r : rows) r.best = std::min(r.best, seconds(r.run, steps));
    std::printf("%s\n", title);
    for (auto &r : rows)
        std::printf("  %-34s %9.1f ns a step   x %.2f\n", r.name.c_str(),
                    r.best / static_cast<double>(steps) * 1e9, r.best / rows[0].best);
}

template <int n> void all_tables(const char *name, const problem &p, double h, long steps, int rounds) {
    using namespace boost::numeric::odeint;
    using state = std::array<double, n>;
    auto keel = [&p, h](const char *method, keel_preserve preserve) {
        return [&p, h, method, preserve](long s) { return keel_steps(p, method, preserve, h, s); };
    };
    table((std::string(name) + ", rk4").c_str(),
          {{"hand-written loop", [&](long s) { return hand_rk4<n>(p, h, s); }},
           {"keel rk4", keel("rk4", KEEL_NONE)},
           {"GSL rk4 (with step doubling)", [&](long s) { return gsl_steps(p, gsl_odeiv2_step_rk4, h, s); }},
           {"Boost.odeint runge_kutta4",
            [&](long s) { return odeint_steps<runge_kutta4<state>, n>(p, h, s); }}},
          steps, rounds);
    table((std::string(name) + ", stabilized rk4").c_str(),
          {{"keel rk4", keel("rk4", KEEL_NONE)},
           {"keel rk4+watch", keel("rk4", KEEL_WATCH)},
           {"keel rk4+adjust", keel("rk4", KEEL_ADJUST)},
           {"keel rk4+project", keel("rk4", KEEL_PROJECT)}},
          steps, rounds);
    table((std::string(name) + ", order 8").c_str(),
          {{"keel rkf78", keel("rkf78", KEEL_NONE)},
           {"keel rkf78+adjust", keel("rkf78", KEEL_ADJUST)},
           {"keel rkf78+project", keel("rkf78", KEEL_PROJECT)},
           {"keel dop853", keel("dop853", KEEL_NONE)},
           {"keel dop853+project", keel("dop853", KEEL_PROJECT)},
           {"GSL rk8pd", [&](long s) { return gsl_steps(p, gsl_odeiv2_step_rk8pd, h, s); }},
           {"Boost.odeint fehlberg78",
            [&](long s) { return odeint_steps<runge_kutta_fehlberg78<state>, n>(p, h, s); }}},
          steps / 2, rounds);
}

} // namespace

int main(int argc, char **argv) {
    long steps = argc > 1 ? std::atol(argv[1]) : 200000;
    int rounds = argc > 2 ? std::atoi(argv[2]) : 15;
    if (steps < 1 || rounds < 1) {
        std::fprintf(stderr, "usage: step_cost [steps] [rounds]\n");
        return 2;
    }
    problem kepler, body;
    problem_kepler(&kepler, 0.6, 1);
    problem_rigid_body(&body, 2, 1, 2. / 3);
    all_tables<4>("Kepler, 4 states, 2 invariants", kepler, 0.01, steps, rounds);
    all_tables<3>("Rigid body, 3 states, 2 invariants", body, 0.05, steps, rounds);
    return 0;
}

// odeint.cpp - Boost.odeint with the right-hand side inlined: Fehlberg 7(8) and extrapolation with error
// control and without dense output, rk4 with fixed steps.
#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <vector>

#include <boost/numeric/odeint.hpp>

#include "cases/andrews.h"
#include "cases/chain.h"
#include "cases/henon_heiles.h"
#include "cases/kepler.h"
#include "cases/pendulum.h"
#include "cases/rigid_body.h"
#include "peers/peer.h"

namespace {

namespace odeint = boost::numeric::odeint;

struct opened {
    const bench_case *c;
    const peer_row *row;
    double setting;
};

template <void (*rate)(const double *, double *)> struct plain {
    void operator()(const double *u, double *out) const {
        rate(u, out);
    }
};

struct chain {
    chain_hand *hand;
    void operator()(const double *u, double *out) const {
        chain_rate(hand, u, out);
    }
};

template <class state, class rate_of> struct motion {
    // odeint has no limit of its own: a run whose steps become too small would never end.
    struct system {
        rate_of rate;
        long *count, most;
        void operator()(const state &x, state &f, double) const {
            if (++*count > most) throw std::runtime_error("too many steps");
            rate(x.data(), f.data());
        }
    };

    template <class stepper> static void fixed_steps(const opened &o, state &x, system f, peer_run *r) {
        stepper method;
        long steps = static_cast<long>(o.setting);
        double t0 = o.c->keel->t0, h = (o.c->t_end - t0) / static_cast<double>(steps);
        for (long k = 0; k < steps; k++) {
            method.do_step(f, x, t0 + static_cast<double>(k) * h, h);
            if (r->observe) r->observe(r->to, t0 + static_cast<double>(k + 1) * h, x.data());
        }
        r->steps = steps;
    }

    template <class stepper>
    static void control(const opened &o, stepper method, state &x, system f, peer_run *r) {
        double t0 = o.c->keel->t0, h = 1e-4 * (o.c->t_end - t0);
        std::size_t steps = 0;
        if (r->observe)
            steps =
                odeint::integrate_adaptive(method, f, x, t0, o.c->t_end, h,
                                           [r](const state &y, double t) { r->observe(r->to, t, y.data()); });
        else steps = odeint::integrate_adaptive(method, f, x, t0, o.c->t_end, h);
        r->steps = static_cast<long>(steps);
    }

    static void run(const opened &o, state x, rate_of rate, peer_run *r) {
        using fehlberg78 = odeint::runge_kutta_fehlberg78<state>;
        long count = 0;
        std::copy_n(o.c->keel->u0, x.size(), x.begin());
        system f{rate, &count, o.row->order ? LONG_MAX : 10 * o.c->most};
        double tolerance = o.setting;
        if (o.row->order == 4) fixed_steps<odeint::runge_kutta4<state>>(o, x, f, r);
        else if (o.row->order) fixed_steps<fehlberg78>(o, x, f, r);
        else if (std::strcmp(o.row->method, "fehlberg78") == 0)
            control(o, odeint::make_controlled(tolerance, tolerance, fehlberg78()), x, f, r);
        else control(o, odeint::bulirsch_stoer<state>(tolerance, tolerance), x, f, r);
        std::copy_n(x.begin(), x.size(), r->u);
        r->evaluations = count;
    }
};

template <std::size_t n, void (*rate)(const double *, double *)>
void run_plain(const opened &o, peer_run *r) {
    motion<std::array<double, n>, plain<rate>>::run(o, {}, {}, r);
}

void run_chain(const opened &o, peer_run *r) {
    std::vector<double> x(static_cast<std::size_t>(o.c->keel->n));
    motion<std::vector<double>, chain>::run(o, x, {static_cast<chain_hand *>(o.c->user)}, r);
}

void *open_odeint(const bench_case *c, const peer_row *row, double setting) {
    return new opened{c, row, setting};
}

int run_odeint(void *handle, peer_run *r) {
    const opened &o = *static_cast<opened *>(handle);
    try {
        switch (o.c->right) {
        case CASE_KEPLER:
            run_plain<4, kepler_rate>(o, r);
            break;
        case CASE_HENON_HEILES:
            run_plain<4, henon_heiles_rate>(o, r);
            break;
        case CASE_RIGID_BODY:
            run_plain<3, rigid_body_rate>(o, r);
            break;
        case CASE_PENDULUM:
            run_plain<4, pendulum_rate>(o, r);
            break;
        case CASE_ANDREWS:
            run_plain<14, andrews_rate>(o, r);
            break;
        case CASE_CHAIN:
            run_chain(o, r);
            break;
        }
    } catch (const std::exception &) {
        return -1;
    }
    return 0;
}

void close_odeint(void *handle) {
    delete static_cast<opened *>(handle);
}

} // namespace

extern "C" const peer peer_odeint;
const peer peer_odeint = {"Boost.odeint", open_odeint, run_odeint, close_odeint};

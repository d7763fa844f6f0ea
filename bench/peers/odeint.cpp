// odeint.cpp - Boost.odeint with the right-hand side inlined: Fehlberg 7(8) and extrapolation with error
// control and without dense output, rk4 with fixed steps.
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <boost/numeric/odeint.hpp>

#include "courses/andrews.h"
#include "courses/henon_heiles.h"
#include "courses/kepler.h"
#include "courses/pendulum.h"
#include "courses/rigid_body.h"
#include "peers/peer.h"

namespace {

namespace odeint = boost::numeric::odeint;

struct opened {
    const course *c;
    const peer_row *row;
    double setting;
};

using rate_of = void(const double *, double *);

template <std::size_t n, rate_of *rate> struct motion {
    using state = std::array<double, n>;

    // odeint has no limit of its own: a run whose steps become too small would never end.
    struct system {
        long *count, most;
        void operator()(const state &x, state &f, double) const {
            if (++*count > most) throw std::runtime_error("too many steps");
            rate(x.data(), f.data());
        }
    };

    template <class stepper> static void march(const opened &o, state &x, system f, peer_run *r) {
        stepper method;
        long steps = static_cast<long>(o.setting);
        double t0 = o.c->p.keel.t0, h = (o.c->t_end - t0) / static_cast<double>(steps);
        for (long k = 0; k < steps; k++) {
            method.do_step(f, x, t0 + static_cast<double>(k) * h, h);
            if (r->look) r->look(r->to, t0 + static_cast<double>(k + 1) * h, x.data());
        }
        r->steps = steps;
    }

    template <class stepper>
    static void control(const opened &o, stepper method, state &x, system f, peer_run *r) {
        double t0 = o.c->p.keel.t0, h = 1e-4 * (o.c->t_end - t0);
        std::size_t steps = 0;
        if (r->look)
            steps =
                odeint::integrate_adaptive(method, f, x, t0, o.c->t_end, h,
                                           [r](const state &y, double t) { r->look(r->to, t, y.data()); });
        else steps = odeint::integrate_adaptive(method, f, x, t0, o.c->t_end, h);
        r->steps = static_cast<long>(steps);
    }

    static void run(const opened &o, peer_run *r) {
        using fehlberg78 = odeint::runge_kutta_fehlberg78<state>;
        long count = 0;
        state x;
        std::memcpy(x.data(), o.c->p.u0, sizeof x);
        system f{&count, o.row->order ? LONG_MAX : 10 * o.c->most};
        double tolerance = o.setting;
        if (o.row->order == 4) march<odeint::runge_kutta4<state>>(o, x, f, r);
        else if (o.row->order) march<fehlberg78>(o, x, f, r);
        else if (std::strcmp(o.row->method, "fehlberg78") == 0)
            control(o, odeint::make_controlled(tolerance, tolerance, fehlberg78()), x, f, r);
        else control(o, odeint::bulirsch_stoer<state>(tolerance, tolerance), x, f, r);
        std::memcpy(r->u, x.data(), sizeof x);
        r->evaluations = count;
    }
};

void *open_odeint(const course *c, const peer_row *row, double setting) {
    return new opened{c, row, setting};
}

int run_odeint(void *handle, peer_run *r) {
    const opened &o = *static_cast<opened *>(handle);
    try {
        switch (o.c->right) {
        case COURSE_KEPLER:
            motion<4, kepler_rate>::run(o, r);
            break;
        case COURSE_HENON_HEILES:
            motion<4, henon_heiles_rate>::run(o, r);
            break;
        case COURSE_RIGID_BODY:
            motion<3, rigid_body_rate>::run(o, r);
            break;
        case COURSE_PENDULUM:
            motion<4, pendulum_rate>::run(o, r);
            break;
        case COURSE_ANDREWS:
            motion<14, andrews_rate>::run(o, r);
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

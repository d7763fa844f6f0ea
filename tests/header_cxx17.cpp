/* header_cxx17.cpp - the public headers as C++17, warnings as errors.  Inner headers come first: each
 * must stand on its own. */
#include <keel/row.h>

#include <keel/events.h>

#include <keel/list.h>

#include <keel/save.h>

#include <keel/diagnostics.h>

#include <keel/options.h>

#include <keel/explicit.h>
#include <keel/real.h>
#include <keel/implicit.h>
#include <keel/splitting.h>
#include <keel/taylor.h>

#include <keel/system.h>
#include <keel/native.h>
#include <keel/newton.h>

#include <keel/form.h>

#include <keel/method.h>

#include <keel/stabilizer.h>

#include <keel/ensemble.h>

#include <keel/fit.h>

#include <keel/lyapunov.h>

#include <keel/orbit.h>

#include <keel/steady.h>

#include <keel.h>

#include <cstring>

int main() {
    return std::strcmp(keel_version(), KEEL_VERSION) != 0;
}

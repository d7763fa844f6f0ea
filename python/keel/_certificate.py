"""The certificate of a run as text: what was kept, how well, at what cost."""

TREATMENT = (
    "watched",
    "",
    "by the method",
    "follows from others",
    "varies, shown only",
    "damped, not to round-off",
)


def _count(number):
    return (
        str(number)
        if number < 10000
        else f"{number / 1e3:.0f}k" if number < 10**7 else f"{number / 1e6:.1f}M"
    )


def _rows(rows):
    if rows:
        yield f"  {'kept':<20} {'start':<14} {'largest drift':<17} {'in round-offs':<15} last"
    for row in rows:
        units = f"{row.units:.1f}" if row.units < 1e6 else f"{row.units:.1e}"
        words = row.treatment or ("weak" if row.verdict == "weak" else "")
        line = f"  {row.name:<20} {row.start:<14.6g} {row.drift:<17.1e} {units:<15} "
        yield (line + f"{abs(row.last):<12.1e}{words}").rstrip()


def _diagnosis(made, names, step):
    (largest, t, state, finding, finding_t, finding_state), (
        defect,
        defect_t,
        component,
        relative,
        samples,
    ) = made
    if state:
        unit = "errors of a step" if step else "tolerances"
        yield f"  correction {largest:.2g} {unit} at most ({state} at t = {t:g})"
    if samples:
        where = f"{names[component]} " if 0 <= component < len(names) else ""
        unit = "of the state" if relative else "tolerances"
        plural = "" if samples == 1 else "s"
        count = f"{samples} sample{plural} between steps"
        yield f"  defect     {defect:.1e} {unit} ({where}at t = {defect_t:g}; {count})"
    if finding_state:
        yield (
            f"  warning    keeping the rows moved {finding_state} at t = {finding_t:g} by {finding:.2g} "
            "times more "
            "than the error of the step explains:"
        )
        yield "             a kept row does not hold for this motion, or weights do not suit"


def begins_with(method):
    """The method of the first steps: "auto" is one of several."""
    stepper, plus, stabilizer = method.partition("+")
    return ("dop853" if stepper == "auto" else stepper) + plus + stabilizer


def _changes(changes):
    """Of the methods of a run that meets stiff equations."""
    for t, method in changes[:6]:
        why = "no longer stiff" if method == "dop853" else "for stiff equations"
        yield f"  {method}: from t = {t:.4g} on, {why}"
    if len(changes) > 6:
        yield f"  and {len(changes) - 6} more changes"


def certificate(title, begin, made, rows, plan, names):
    """`made` is what the extension gave, `rows` its rows as Row."""
    steps, rejected, calls = made["statistics"][:3]
    method = made["method"].split("+")[0] + "+" + made["stabilizer"]
    step = plan.get("step") or 0
    how = f"step {step:g}" if step else f"rtol {plan.get('rtol') or 1e-6:g}"
    lines = [f"{title}  {method}  {how}"]
    lines += _changes(made["changes"])
    lines.append(
        f"  t {begin:g} .. {made['end']:g}   {_count(steps)} steps   {_count(rejected)} rejected   "
        f"{_count(calls)} evaluations"
    )
    lines += _rows(rows)
    lines += _diagnosis(made["diagnosis"], names, step)
    if made["status"] < 0:
        lines.append(f"  failed: {made['message']}")
    elif made["status"] == 1 and made.get("happened"):
        t, name = made["happened"][-1][:2]
        lines.append(f"  stopped: by event `{name}` at t = {t:.10g}")
    elif made["message"]:
        lines.append(f"  {made['message']}")
    return "\n".join(lines)

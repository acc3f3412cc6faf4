"""To Mars: the dates and the velocity with which a probe leaves Earth so that it needs the least fuel.

    python examples/to_mars.py [--plot FILE.png] [--steps N] [--no-jit]

The planets move on their ellipses (Kepler's equation, solved by Newton's method); the probe falls around the sun, by
Runge-Kutta steps. SciPy's SLSQP minimises the speeds at departure and arrival with the constraint that the probe meets
Mars, with gradients of both. The start is a guess: the year 2020, and 200 days.
"""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path

import numpy as np

from srcad.bridges.scipy import minimize

DATA = Path(__file__).parent / "data" / "planets.csv"
SUN = 4.0 * np.pi**2  # the sun's attraction, in astronomical units and years
KM_PER_S = 4.740470  # one astronomical unit a year
J2000 = datetime.date(2000, 1, 1)


def position(elements, years):
    """Where a planet is so many years after J2000, in the plane of Earth's orbit and above it."""
    a, e, inclination, longitude, perihelion, node = elements[:6] + elements[6:] * (years / 100.0)
    turn = np.pi / 180.0
    mean = (longitude - perihelion) * turn
    eccentric = mean + e * np.sin(mean)
    for _ in range(6):
        eccentric -= (eccentric - e * np.sin(eccentric) - mean) / (1.0 - e * np.cos(eccentric))
    x, y = a * (np.cos(eccentric) - e), a * np.sqrt(1.0 - e * e) * np.sin(eccentric)
    w, n, i = (perihelion - node) * turn, node * turn, inclination * turn
    along = x * np.cos(w) - y * np.sin(w)
    across = x * np.sin(w) + y * np.cos(w)
    return np.array(
        [
            along * np.cos(n) - across * np.cos(i) * np.sin(n),
            along * np.sin(n) + across * np.cos(i) * np.cos(n),
            across * np.sin(i),
        ]
    )


def velocity(elements, years):
    """How fast a planet moves: a difference, since its ellipse is smooth."""
    h = 1e-4
    return (position(elements, years + h) - position(elements, years - h)) / (2.0 * h)


def pull(place):
    """The acceleration by the sun."""
    return -SUN * place / np.sum(place * place) ** 1.5


def flight(place, speed, years, steps):
    """Where a probe is after so many years, and how fast."""
    h = years / steps
    for _ in range(steps):
        k1, a1 = speed, pull(place)
        k2, a2 = speed + 0.5 * h * a1, pull(place + 0.5 * h * k1)
        k3, a3 = speed + 0.5 * h * a2, pull(place + 0.5 * h * k2)
        k4, a4 = speed + h * a3, pull(place + h * k3)
        place = place + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        speed = speed + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return place, speed


def arrival(p, planets, steps):
    """Where the probe is relative to Mars at its arrival, and how fast relative to it."""
    leaves, lands = p["departure"], p["departure"] + p["duration"]
    start = velocity(planets[0], leaves) + p["excess"]
    place, speed = flight(position(planets[0], leaves), start, p["duration"], steps)
    return place - position(planets[1], lands), speed - velocity(planets[1], lands)


def effort(p, planets, steps):
    """The squared speeds relative to the planets at both ends, which rockets and a heat shield have to provide."""
    _, speed = arrival(p, planets, steps)
    return np.sum(p["excess"] ** 2) + np.sum(speed**2)


def miss(p, planets, steps):
    """The distance from Mars, which has to be zero."""
    place, _ = arrival(p, planets, steps)
    return 10.0 * place


def read_planets() -> dict[str, np.ndarray]:
    """The orbital elements of the planets, and their changes."""
    lines = DATA.read_text().splitlines()[5:]
    return {line.split(",")[0]: np.array(line.split(",")[1:], float) for line in lines}


def plan(steps: int, jit: bool = True) -> tuple[dict[str, np.ndarray], float]:
    """The best flight: its departure and duration in years, its speed relative to Earth; and how far it misses."""
    planets = read_planets()
    both = np.stack([planets["Earth"], planets["Mars"]])
    start = {"departure": 20.5, "duration": 200.0 / 365.25, "excess": np.zeros(3)}
    start["excess"] = 0.1 * velocity(both[0], start["departure"])
    hits = {"type": "eq", "fun": miss, "args": (both, steps)}
    bounds = {"departure": (20.0, 21.0), "duration": (0.3, 0.8), "excess": None}
    found = minimize(
        effort, start, args=(both, steps), method="SLSQP", bounds=bounds, constraints=[hits], jit=jit, tol=1e-10
    )
    return found.x, float(np.linalg.norm(miss(found.x, both, steps))) / 10.0


def plot(p: dict[str, np.ndarray], steps: int, path: str) -> None:
    """The orbits seen from above, and the flight."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    planets = read_planets()
    leaves, lands = float(p["departure"]), float(p["departure"] + p["duration"])
    figure, axes = plt.subplots(figsize=(6, 6), layout="constrained")
    looks = ((0.24, "0.6"), (0.62, "C1"), (1.0, "C0"), (1.89, "C3"))  # years of an orbit, and colours
    for (name, elements), (period, colour) in zip(planets.items(), looks, strict=True):
        orbit = np.array([position(elements, leaves + period * part) for part in np.linspace(0.0, 1.01, 200)])
        axes.plot(orbit[:, 0], orbit[:, 1], color=colour, linewidth=0.8)
        axes.annotate(name, orbit[60, :2], color=colour, fontsize="small")
    place, speed = position(planets["Earth"], leaves), velocity(planets["Earth"], leaves) + p["excess"]
    path_flown = [place]
    for _ in range(steps):
        place, speed = flight(place, speed, float(p["duration"]) / steps, 1)
        path_flown.append(place)
    flown = np.array(path_flown)
    axes.plot(flown[:, 0], flown[:, 1], color="0.1", linewidth=2, label="probe")
    axes.plot(*position(planets["Earth"], leaves)[:2], "o", color="C0", label=f"Earth, {date_of(leaves)}")
    axes.plot(*position(planets["Mars"], lands)[:2], "o", color="C3", label=f"Mars, {date_of(lands)}")
    axes.plot(0.0, 0.0, "*", color="gold", markersize=14)
    axes.set(aspect="equal", xlabel="astronomical units", title="The way to Mars that needs the least fuel in 2020")
    axes.legend(loc="upper left", fontsize="small")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def date_of(years: float) -> datetime.date:
    """The date so many years after J2000."""
    return J2000 + datetime.timedelta(days=round(365.25 * years))


def main(argv: list[str] | None = None) -> tuple[dict[str, np.ndarray], float]:
    """Plan, print, plot; returns the flight and how far it misses Mars, in astronomical units."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    parser.add_argument("--steps", type=int, default=100, help="Runge-Kutta steps of the flight")
    parser.add_argument("--no-jit", action="store_true", help="run generated code as plain Python")
    options = parser.parse_args(argv)
    p, distance = plan(options.steps, jit=not options.no_jit)
    leaves, speed = float(p["departure"]), KM_PER_S * float(np.linalg.norm(p["excess"]))
    print(f"leaves Earth on {date_of(leaves)} with {speed:.2f} km/s, C3 = {speed**2:.1f} km²/s²")
    print(f"meets Mars after {365.25 * float(p['duration']):.0f} days, on {date_of(leaves + float(p['duration']))}")
    plot(p, options.steps, options.plot)
    print(f"plot saved as {options.plot}")
    return p, distance


if __name__ == "__main__":
    main()

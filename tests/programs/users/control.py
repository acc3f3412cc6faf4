"""Control, robots and estimation."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from tests.programs.users.program import UserProgram


class PID:
    def __init__(self, kp, ki, kd, limits=(None, None)):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.limits = limits
        self.reset()

    def reset(self):
        self.integral = 0.0
        self.previous = None

    def __call__(self, error, dt):
        self.integral += error * dt
        derivative = 0.0 if self.previous is None else (error - self.previous) / dt
        self.previous = error
        output = self.kp * error + self.ki * self.integral + self.kd * derivative
        low, high = self.limits
        if low is not None and output < low:
            output = low
        if high is not None and output > high:
            output = high
        return output


def pid_tracking(gains, setpoint=1.0, dt=0.05, steps=60):
    """Integral of the squared error of a second-order plant with delay under a controller with limits.

    Origin: Åström and Murray, "Feedback Systems", chapter 11; the package simple-pid.
    """
    controller = PID(*gains, limits=(-5.0, 5.0))
    position, velocity = 0.0, 0.0
    delay = deque([0.0, 0.0], maxlen=2)
    cost = 0.0
    for _ in range(steps):
        u = controller(setpoint - position, dt)
        delay.append(u)
        acceleration = delay[0] - 1.2 * velocity - 0.8 * position
        velocity += dt * acceleration
        position += dt * velocity
        cost += dt * ((setpoint - position) ** 2 + 0.001 * u**2)
    return cost


class KalmanFilter:
    def __init__(self, F, H, Q, R, x0, P0):
        self.F, self.H, self.Q, self.R = F, H, Q, R
        self.x, self.P = x0, P0
        self.log_likelihood = 0.0

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ y
        I_KH = np.eye(len(self.x)) - K @ self.H
        self.P = I_KH @ self.P @ I_KH.T + K @ self.R @ K.T
        sign, logdet = np.linalg.slogdet(2 * np.pi * S)
        self.log_likelihood += -0.5 * (logdet + y @ np.linalg.solve(S, y))


def kalman_likelihood(log_q, log_r, measurements, dt=0.5):
    """Likelihood of noise levels under a constant-velocity model; missing measurements are None.

    Origin: Labbe, "Kalman and Bayesian Filters in Python", and its package filterpy.
    """
    q, r = np.exp(log_q), np.exp(log_r)
    F = np.array([[1.0, dt], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    Q = q * np.array([[dt**4 / 4, dt**3 / 2], [dt**3 / 2, dt**2]])
    kf = KalmanFilter(F, H, Q, np.eye(1) * r, np.zeros(2), np.eye(2) * 10.0)
    for z in measurements:
        kf.predict()
        if z is None:
            continue
        kf.update(np.array([z]))
    return kf.log_likelihood


def riccati(A, B, Q, R, tol=1e-10, max_iter=500):
    P = Q.copy()
    iteration = 0
    while True:
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P_next = Q + A.T @ P @ (A - B @ K)
        iteration += 1
        if np.max(np.abs(P_next - P)) < tol:
            break
        if iteration >= max_iter:
            raise RuntimeError(f"no convergence after {max_iter} iterations")
        P = P_next
    return P_next, K


def cart_pole_regulator(mass, length, q_diag, x0):
    """Cost of an optimal regulator of a cart with a pole, whose gain comes from iterating Riccati's equation.

    Origin: Anderson and Moore, "Optimal Control"; python-control's `dlqr`.
    """
    g, M, dt = 9.81, 1.0, 0.05
    A = np.eye(4)
    A[0, 1] = A[2, 3] = dt
    A[1, 2] = -mass * g / M * dt
    A[3, 2] = (M + mass) * g / (M * length) * dt
    B = np.zeros((4, 1))
    B[1, 0] = dt / M
    B[3, 0] = -dt / (M * length)
    P, K = riccati(A, B, np.diag(q_diag), np.array([[0.1]]))
    closed = A - B @ K
    horizon = linalg.expm(0.1 * (closed - np.eye(4)))
    return x0 @ P @ x0 + np.sum((horizon @ x0) ** 2)


@dataclass
class Link:
    length: float
    offset: float = 0.0


def rot(a):
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


def forward_kinematics(links, angles):
    position = np.zeros(2)
    R = np.eye(2)
    joints = [position]
    for link, angle in zip(links, angles, strict=True):
        R = R @ rot(angle + link.offset)
        position = position + R @ np.array([link.length, 0.0])
        joints.append(position)
    return joints


def arm_reaching(angles, links, target, obstacles, margin=0.1):
    """Cost of a posture of a planar arm: the distance to a target, obstacles and limits of its joints.

    Origin: Siciliano et al., "Robotics", chapter 2; Lynch and Park, "Modern Robotics".
    """
    *inner, tip = forward_kinematics(links, angles)
    cost = np.sum((tip - target) ** 2)
    for centre, radius in obstacles:
        for joint in inner[1:] + [tip]:
            d = np.hypot(*(joint - centre)) - radius
            if d < margin:
                cost += (margin - d) ** 2
    limits = np.pi * 0.75
    over = np.abs(angles) > limits
    cost += np.sum((np.abs(angles[over]) - limits) ** 2)
    return cost


def measurements():
    return [0.1, 0.4, None, 1.3]


def arm():
    links = [Link(1.0), Link(0.8, 0.1), Link(0.5)]
    obstacles = [(np.array([0.9, 0.9]), 0.2), (np.array([1.5, 0.6]), 0.3)]
    return np.array([0.5, 0.3, -2.6]), links, np.array([1.2, 1.1]), obstacles


PROGRAMS = [
    UserProgram(pid_tracking, lambda: (np.array([3.0, 0.8, 0.4]),), "gains"),
    UserProgram(kalman_likelihood, lambda: (-1.0, -2.0, measurements()), ("log_q", "log_r")),
    UserProgram(
        cart_pole_regulator,
        lambda: (0.2, 0.7, np.array([1.0, 0.1, 2.0, 0.1]), np.array([0.2, 0.0, 0.1, -0.1])),
        ("mass", "length", "q_diag", "x0"),
        rtol=1e-5,
    ),
    UserProgram(arm_reaching, arm, ("angles", "links", "target")),
]

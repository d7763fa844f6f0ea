def solve_ivp(): pass

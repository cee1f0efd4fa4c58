"""What every HTTP server of this package has: protections, limits and a place to listen. It knows no model.

In reading order:

    middleware.py      what every request passes: headers, origin, unexpected errors
    bodies.py          bodies read piece by piece, with limits of size and time
    connections.py     work that ends with the client's connection
    listening.py       a socket and uvicorn behind it
"""

"""The demo of stores and tasks: counties and cities as lists and strings, measured tile by tile.

``accel demo stores`` runs it. `accel.demo.stores.program` computes the result by tasks, on an engine;
`accel.demo.stores.reference` computes it with NumPy for comparison.
"""

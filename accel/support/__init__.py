"""What every other room may use: locks, call sites, lazy names, enumerations, device names, kernel reports."""

"""The names of the groups of items in print and in results."""

PARTITIONS = {
    "All": "all",
    "PA=1": "PA = 100%",
    "PA=66.67%": "60% <= PA < 80%",
    "80%<=PA<100%": "80% <= PA < 100%",
    "60%<=PA<80%": "60% <= PA < 80%",
    "40%<=PA<60%": "40% <= PA < 60%",
    "0<=PA<40%": "PA < 40%",
    "[80,100)": "80% <= PA < 100%",
    "[60,80)": "60% <= PA < 80%",
    "[0,60)": "PA < 60%",
}

QUICK = {"resamples": 100, "draws": 10}
"""Few resamples and draws, since intervals and random labellers are not compared."""

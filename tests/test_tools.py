print("ok nothing yet")

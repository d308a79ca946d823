print("sanctuary")

print("vendorctl")

import Load

await Load.run { options in options.variant == "ahc" ? AsyncHTTPClientLoad(options) : nil }

import Load

await Load.run { options in options.variant == "urlsession" ? try URLSessionLoad(options) : nil }

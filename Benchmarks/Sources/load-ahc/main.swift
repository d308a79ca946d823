import Load

await Load.run { AsyncHTTPClientLoad($0) }

import Load

await Load.run { try URLSessionLoad($0) }

import Load

await Load.run { try CofferdamLoad($0) }

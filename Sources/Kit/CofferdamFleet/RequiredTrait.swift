#if Fleet
#if !Fleet
#error("CofferdamFleet needs the trait \"Fleet\": .package(url: …, from: …, traits: [\"Fleet\"])")
#endif
#endif

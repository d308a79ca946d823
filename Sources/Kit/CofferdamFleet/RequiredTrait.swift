#if !Fleet
    #error("CofferdamFleet needs the trait \"Fleet\": .package(url: \"…/cofferdam.git\", from: \"…\", traits: [\"Fleet\"])")
#endif

#if !Telemetry
    #error(
        "CofferdamTelemetry needs the trait \"Telemetry\": .package(url: \"…/cofferdam.git\", from: \"…\", traits: [\"Telemetry\"])"
    )
#endif

#if Telemetry
#if !Telemetry
#error("CofferdamTelemetry needs the trait \"Telemetry\": .package(url: …, from: …, traits: [\"Telemetry\"])")
#endif
#endif

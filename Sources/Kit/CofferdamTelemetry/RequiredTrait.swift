#if !Telemetry
// Without the trait the module is empty. Its types say why they are missing.

@available(
    *,
    unavailable,
    message: "CofferdamTelemetry needs the trait \"Telemetry\": .package(url: …, from: …, traits: [\"Telemetry\"])"
)
public enum PortTelemetry {}
#endif

#if !Telemetry
/// Unavailable without the trait `Telemetry`.
@available(
    *,
    unavailable,
    message: "CofferdamTelemetry needs the trait \"Telemetry\": .package(url: …, from: …, traits: [\"Telemetry\"])"
)
public enum PortTelemetry {}
#endif

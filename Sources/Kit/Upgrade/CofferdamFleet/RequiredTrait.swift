#if !Fleet
/// Unavailable without the trait `Fleet`.
@available(
    *,
    unavailable,
    message: "CofferdamFleet needs the trait \"Fleet\": .package(url: …, from: …, traits: [\"Fleet\"])"
)
public enum EtcdUpgradeStore {}

/// Unavailable without the trait `Fleet`.
@available(
    *,
    unavailable,
    message: "CofferdamFleet needs the trait \"Fleet\": .package(url: …, from: …, traits: [\"Fleet\"])"
)
public enum PrometheusEvidence {}

/// Unavailable without the trait `Fleet`.
@available(
    *,
    unavailable,
    message: "CofferdamFleet needs the trait \"Fleet\": .package(url: …, from: …, traits: [\"Fleet\"])"
)
public enum EvidenceExporter {}
#endif

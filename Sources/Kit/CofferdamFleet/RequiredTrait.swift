#if !Fleet
// Without the trait the module is empty. Its types say why they are missing.

@available(
    *,
    unavailable,
    message: "CofferdamFleet needs the trait \"Fleet\": .package(url: …, from: …, traits: [\"Fleet\"])"
)
public enum EtcdUpgradeStore {}

@available(
    *,
    unavailable,
    message: "CofferdamFleet needs the trait \"Fleet\": .package(url: …, from: …, traits: [\"Fleet\"])"
)
public enum PrometheusEvidence {}

@available(
    *,
    unavailable,
    message: "CofferdamFleet needs the trait \"Fleet\": .package(url: …, from: …, traits: [\"Fleet\"])"
)
public enum CallCounters {}

@available(
    *,
    unavailable,
    message: "CofferdamFleet needs the trait \"Fleet\": .package(url: …, from: …, traits: [\"Fleet\"])"
)
public enum EvidenceExporter {}
#endif

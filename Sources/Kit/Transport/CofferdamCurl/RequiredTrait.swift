#if !Curl
/// Unavailable without the trait `Curl`.
@available(
    *,
    unavailable,
    message: "CofferdamCurl needs the trait \"Curl\": .package(url: …, from: …, traits: [\"Curl\"])"
)
public enum CurlClient {}
#endif

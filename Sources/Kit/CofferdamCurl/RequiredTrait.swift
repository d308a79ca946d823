#if !Curl
// Without the trait the module is empty. Its types say why they are missing.

@available(
    *,
    unavailable,
    message: "CofferdamCurl needs the trait \"Curl\": .package(url: …, from: …, traits: [\"Curl\"])"
)
public enum CurlClient {}
#endif

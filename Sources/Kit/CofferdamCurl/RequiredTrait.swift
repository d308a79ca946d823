#if Curl
#if !Curl
#error("CofferdamCurl needs the trait \"Curl\": .package(url: …, from: …, traits: [\"Curl\"])")
#endif
#endif

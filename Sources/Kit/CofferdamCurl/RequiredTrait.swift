#if !Curl
    #error("CofferdamCurl needs the trait \"Curl\": .package(url: \"…/cofferdam.git\", from: \"…\", traits: [\"Curl\"])")
#endif

#if CommandLine
    import CofferdamTool

    @main enum CofferdamCommand {
        @concurrent static func main() async { await KitTool.main() }
    }
#else
    @main enum CofferdamCommand {
        static func main() { print("cofferdam: depend on the package with traits: [\"CommandLine\"]") }
    }
#endif

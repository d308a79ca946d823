#if CommandLine
import CofferdamTool

@main enum CofferdamCommand {
    @concurrent static func main() async { await KitTool.main() }
}
#else
import CofferdamSupport

@main enum CofferdamCommand {
    static func main() { MissingTrait("CommandLine").end() }
}
#endif

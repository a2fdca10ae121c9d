import FoundationEssentials
import Glibc

/// A program that `kairan` becomes, because it needs a library that `kairan` itself does not load.
struct HelperProgram {
    /// Its name, which is that of its package too.
    let name: String

    /// The program that shows a zone as a folder.
    static let mount = HelperProgram(name: "kairan-mount")

    /// The paths at which it may be, in the order in which they are tried.
    /// - Parameters:
    ///   - program: The path of this program.
    ///   - searched: The variable `PATH`.
    /// - Returns: Beside this program, in the folder of programs that people do not call, then as the shell finds it.
    func places(besides program: String, searched: String) -> [String] {
        let own = program.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let folders =
            [own, own + "/../lib/kairan", "/usr/lib/kairan"] + searched.split(separator: ":").map(String.init)
        return folders.filter { $0.hasPrefix("/") }.map { $0 + "/" + name }
    }

    /// Continues this process as the program.
    /// - Parameter arguments: Its arguments, without its name.
    /// - Throws: ``InputError`` where it is not installed, or cannot be started. Otherwise it does not return.
    func become(_ arguments: [String]) throws(InputError) {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = places(besides: Self.ownPath, searched: path)
        guard let place = places.first(where: { access($0, X_OK) == 0 }) else {
            throw InputError(
                detail: "The program \(name) is not installed.",
                fix: "Install the package \(name) (apt install \(name)), or build it with `make release`.",
                code: "program.missing",
                title: "A program is missing"
            )
        }
        var pointers: [UnsafeMutablePointer<CChar>?] = ([place] + arguments).map { strdup($0) } + [nil]
        execv(place, &pointers)
        let reason = String(cString: strerror(errno))
        for pointer in pointers { free(pointer) }
        throw InputError(detail: "\(place) cannot be started: \(reason).", fix: "Check that you may execute it.")
    }

    /// The file of this program, without links: `kairan` is a link to `kairand` where it is installed.
    private static var ownPath: String {
        guard let path = realpath("/proc/self/exe", nil) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }
}

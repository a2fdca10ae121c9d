import Glibc

/// Returns the folder of published test vectors: `shared/vectors` in a folder above the checkout.
///
/// It is data of several megabytes and not part of the package.
/// - Parameter file: A file of the checkout.
/// - Returns: Its path; `nil` where no folder above has it.
package func vectorsFolder(above file: String) -> String? {
    var parts = file.split(separator: "/")
    while parts.popLast() != nil {
        let path = (parts.map { "/" + $0 } + ["/shared/vectors"]).joined()
        if access(path, R_OK) == 0 { return path }
    }
    return nil
}

"""pack.py -- a WebAssembly module as a script: gzip, base64, one assignment, so that a page takes it from a folder as from a server.
usage: pack.py NAME FILE.wasm OUT.js"""
import base64
import gzip
import sys

name, source, target = sys.argv[1:]
with open(source, "rb") as f:
    packed = gzip.compress(f.read(), 9, mtime=0)
with open(target, "w") as f:
    f.write('var contactWasm = globalThis.contactWasm || (globalThis.contactWasm = {});\ncontactWasm.%s = "%s";\n'
            % (name, base64.b64encode(packed).decode()))
print("%s: %d bytes of gzip" % (target, len(packed)))

function compileAll(job) {
  // What the compiler does not expect ends it for this spec alone, often without a result.
  globalThis.results = job.places.map(function () { return {error: 'the compiler fails on this spec'}; });
  job.places.forEach(function (place, number) {
    compile(job, job.files[place]).then(function (result) { globalThis.results[number] = result; });
  });
}
function compile(job, main) {
  var importer = {importYaml: function (name, mode) {
    var found = job.files[name.replace(/^\//, '')];
    return found ? Promise.resolve(found) : Promise.reject(new Error('no such import: ' + name));
  }};
  return Promise.resolve().then(function () { return KSC.compile('python', main, importer, job.debug); }).then(
    function (files) { return {files: files}; },
    function (error) { return {error: String(error.message || error)}; });
}

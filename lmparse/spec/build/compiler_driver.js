function compileAll(job) {
  return Promise.all(job.places.map(function (place) { return compile(job, job.files[place]); }))
    .then(function (results) { return JSON.stringify(results); });
}
function compile(job, main) {
  var importer = {importYaml: function (name, mode) {
    var found = job.files[name.replace(/^\//, '')];
    return found ? Promise.resolve(found) : Promise.reject(new Error('no such import: ' + name));
  }};
  return KSC.compile('python', main, importer, job.debug).then(
    function (files) { return {files: files}; },
    function (error) { return {error: String(error.message || error)}; });
}
